package dev.sandboxer.platform.token;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A map that forgets: at most twice the given number of entries, those used longest ago go first,
 * roughly. Reads take no lock.
 */
final class BoundedCache<K, V> {

  private final int halfSize;
  private volatile ConcurrentHashMap<K, V> young = new ConcurrentHashMap<>();
  private volatile ConcurrentHashMap<K, V> old = new ConcurrentHashMap<>();

  BoundedCache(int halfSize) {
    this.halfSize = halfSize;
  }

  @Nullable V get(K key) {
    V value = young.get(key);
    if (value != null) {
      return value;
    }
    value = old.get(key);
    if (value != null) {
      put(key, value);
    }
    return value;
  }

  void put(K key, V value) {
    if (young.size() >= halfSize) {
      age();
    }
    young.put(key, value);
  }

  void remove(K key) {
    young.remove(key);
    old.remove(key);
  }

  private synchronized void age() {
    if (young.size() >= halfSize) {
      old = young;
      young = new ConcurrentHashMap<>();
    }
  }
}
