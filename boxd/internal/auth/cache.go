package auth

import (
	"crypto/sha256"
	"sync"
	"time"
)

const cacheSize = 256

type tokenHash [sha256.Size]byte

// cache remembers verified tokens by hash, never the tokens; its user checks times and epoch again at each use.
type cache struct {
	mu     sync.Mutex
	grants map[tokenHash]Grant
	age    int // how often it was emptied
}

func newCache() *cache {
	return &cache{grants: map[tokenHash]Grant{}}
}

func (c *cache) get(hash tokenHash) (Grant, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	grant, ok := c.grants[hash]
	return grant, ok
}

func (c *cache) drop(hash tokenHash) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.grants, hash)
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.grants)
	c.age++
}

func (c *cache) clears() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.age
}

// put keeps a grant that was verified after the cache was emptied age times; one by older keys is not kept.
func (c *cache) put(hash tokenHash, grant Grant, now time.Time, age int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.age != age {
		return
	}
	if len(c.grants) >= cacheSize {
		c.makeRoom(now)
	}
	c.grants[hash] = grant
}

func (c *cache) makeRoom(now time.Time) {
	for hash, grant := range c.grants {
		if !grant.ExpiresAt.After(now) {
			delete(c.grants, hash)
		}
	}
	for hash := range c.grants {
		if len(c.grants) < cacheSize {
			return
		}
		delete(c.grants, hash)
	}
}
