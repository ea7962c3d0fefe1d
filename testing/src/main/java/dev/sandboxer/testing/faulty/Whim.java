package dev.sandboxer.testing.faulty;

/** What the backend may do otherwise than it should, while its calls succeed. Each has a value. */
public enum Whim {
  /** It grants no end that is further away than this many seconds. */
  GRANTS_AT_MOST,
  /** It grants no end later than this time. */
  GRANTS_UNTIL,
  /** It lists all but the objects of this sandbox, by its raw id. */
  OMITS,
  /** It lists the objects of this sandbox, by its raw id, as another installation's. */
  DISOWNS,
  /** It lists pages of this many objects. */
  PAGES_OF,
  /** Its listing is not complete; any value. */
  PARTIAL,
  /** It lists nothing, and calls that complete; any value. */
  EMPTY,
  /** It reports what it was to remove as removed, and leaves it; any value. */
  KEEPS_ALL
}
