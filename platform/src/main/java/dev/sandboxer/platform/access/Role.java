package dev.sandboxer.platform.access;

import java.util.Locale;

/** What a key may do, least first. */
public enum Role {
  /** Own tenant's sandboxes. */
  CONSUMER,
  /** Also on behalf of users that it names. */
  DELEGATE,
  /** Also health details, metrics and OpenAPI. */
  OPERATOR,
  /** Also tenants and keys. */
  ADMIN;

  /**
   * Whether this role may do what another one may.
   *
   * @param wanted the least role needed
   * @return true if it is enough
   */
  public boolean covers(Role wanted) {
    return compareTo(wanted) >= 0;
  }

  /**
   * The name in database and JSON.
   *
   * @return lower case
   */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
