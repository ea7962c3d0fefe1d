package dev.sandboxer.platform.secret;

import dev.sandboxer.platform.access.Tenant;
import dev.sandboxer.platform.installation.StartupException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What tenants may read. Files in a tenant's own folder are granted by being there. */
record GrantedSecrets(List<Grant> grants) {

  private static final String ANY = "*";
  private static final Pattern FORM =
      Pattern.compile("(?:([^/=:]+)=)?([a-z][a-z0-9-]*):([\\w./#-]*\\*?)");

  /** One item of {@code SANDBOXER_GRANTED_SECRETS}. */
  private record Grant(@Nullable String tenant, String store, String path) {

    boolean covers(Tenant asking, Reference reference) {
      return (tenant == null || tenant.equals(asking.name()) || tenant.equals(asking.id()))
          && store.equals(reference.store())
          && (path.endsWith(ANY)
              ? reference.path().startsWith(path.substring(0, path.length() - 1))
              : path.equals(reference.path()));
    }

    @Override
    public String toString() {
      return (tenant == null ? "" : tenant + "=") + store + ":" + path;
    }
  }

  /**
   * Reads the setting.
   *
   * @param items such as {@code env:API_TOKEN} and {@code team-a=openbao:kv/team-a/*}
   * @throws StartupException naming the item that is wrong
   */
  static GrantedSecrets parse(List<String> items) {
    return new GrantedSecrets(items.stream().map(GrantedSecrets::one).toList());
  }

  private static Grant one(String item) {
    Matcher match = FORM.matcher(item);
    if (!match.matches()) {
      throw new StartupException(
          "SANDBOXER_GRANTED_SECRETS has '%s': it must be [tenant=]store:path, such as env:API_TOKEN or team-a=openbao:kv/team-a/*"
              .formatted(item));
    }
    return new Grant(match.group(1), match.group(2), match.group(3));
  }

  boolean allow(Tenant tenant, Reference reference) {
    return reference.store().equals(Reference.FILE)
        || grants.stream().anyMatch(grant -> grant.covers(tenant, reference));
  }

  /** The stores that grants name. */
  Set<String> stores() {
    return grants.stream().map(Grant::store).collect(Collectors.toCollection(TreeSet::new));
  }

  @Override
  public String toString() {
    return grants.stream().map(Grant::toString).toList().toString();
  }
}
