package dev.sandboxer.platform.session;

/**
 * Something of a tenant that can hold a session.
 *
 * @param type what it is
 * @param id the tenant's own name for it
 */
public record Scope(ScopeType type, String id) {

  @Override
  public String toString() {
    return type.text() + " '" + id + "'";
  }
}
