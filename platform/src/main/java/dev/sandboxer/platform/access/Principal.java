package dev.sandboxer.platform.access;

/**
 * Who calls.
 *
 * @param keyId id of the key
 * @param tenantId the key's tenant
 * @param role the key's role
 * @param limits what the key is narrowed to
 */
public record Principal(String keyId, String tenantId, Role role, Limits limits) {

  /**
   * A principal whose key is not narrowed.
   *
   * @param keyId id of the key
   * @param tenantId the key's tenant
   * @param role the key's role
   */
  public Principal(String keyId, String tenantId, Role role) {
    this(keyId, tenantId, role, Limits.NONE);
  }

  /**
   * Whose limits count where nobody else is named.
   *
   * @return the key's user, else the key itself
   */
  public String user() {
    String user = limits.user();
    return user == null ? keyId : user;
  }
}
