package dev.sandboxer.platform.webhook;

import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;

/** Reads webhooks for delivery, again before each try, so that a change counts at once. */
@ApplicationScoped
class Targets {

  private static final String FIND =
      """
      select w.id, w.url, s.types, w.profiles, s.state = 'active' as active, s.failures,
        w.secret_sealed,
        case when w.old_secret_until > clock_timestamp() then w.old_sealed end as old_sealed
      from webhook w join sink s on s.id = w.id where w.id = :id
      """;

  private final Jdbi jdbi;
  private final SecretSeal seal;

  Targets(Jdbi jdbi, SecretSeal seal) {
    this.jdbi = jdbi;
    this.seal = seal;
  }

  Optional<Target> find(String id) {
    return jdbi.withHandle(
        handle -> handle.createQuery(FIND).bind("id", id).map((row, _) -> target(row)).findOne());
  }

  private Target target(ResultSet row) throws SQLException {
    String id = row.getString("id");
    List<WebhookSecret> secrets = new ArrayList<>();
    secrets.add(seal.open(id, row.getBytes("secret_sealed")));
    byte[] old = row.getBytes("old_sealed");
    if (old != null) {
      secrets.add(seal.open(id, old));
    }
    return new Target(
        id,
        row.getString("url"),
        texts(row, "types"),
        texts(row, "profiles"),
        row.getBoolean("active"),
        row.getInt("failures"),
        List.copyOf(secrets));
  }

  private static Set<String> texts(ResultSet row, String column) throws SQLException {
    return Set.copyOf(List.of((String[]) row.getArray(column).getArray()));
  }
}
