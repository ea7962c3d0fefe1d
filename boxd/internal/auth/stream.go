package auth

// Stream is an open call. It outlives its token, until the token's epoch is revoked.
type Stream struct {
	verifier *Verifier
	grant    Grant
	cut      func()
}

// Open registers a call; cut is called at most once, when its grant is revoked, and must not block.
func (v *Verifier) Open(grant Grant, cut func()) *Stream {
	s := &Stream{v, grant, cut}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.revoked(grant) {
		go cut()
		return s
	}
	v.streams[s] = struct{}{}
	return s
}

// Renew puts a further token's grant in the place of the present one.
func (s *Stream) Renew(grant Grant) {
	s.verifier.mu.Lock()
	defer s.verifier.mu.Unlock()
	s.grant = grant
}

// Close forgets the call.
func (s *Stream) Close() {
	s.verifier.mu.Lock()
	defer s.verifier.mu.Unlock()
	delete(s.verifier.streams, s)
}

// maxSessions bounds how many sessions' minima are kept; beyond it, a session's minimum is everybody's.
const maxSessions = 1024

// Revoke refuses tokens below the epoch from now on and cuts the calls that they opened: those of one session, or with an empty
// session all. A minimum never goes down. It returns how many calls were cut.
func (v *Verifier) Revoke(session string, minEpoch int64) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if session != "" && (len(v.sessions) < maxSessions || v.sessions[session] > 0) {
		v.sessions[session] = max(v.sessions[session], minEpoch)
	} else {
		v.minEpoch = max(v.minEpoch, minEpoch)
	}
	count := 0
	for stream := range v.streams {
		if v.revoked(stream.grant) {
			delete(v.streams, stream)
			go stream.cut()
			count++
		}
	}
	return count
}

// revoked is called with the lock held.
func (v *Verifier) revoked(g Grant) bool {
	return g.Epoch < v.minEpoch || g.Session != "" && g.Epoch < v.sessions[g.Session]
}
