package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenClaims;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Jdbi;

/**
 * Tickets in the database, so that another node may redeem one: 256 random bits, kept as their
 * SHA-256, taken out by the first who shows them. All calls block.
 */
final class Tickets {

  private static final int BYTES = 32;
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]{43}");

  private static final String INSERT =
      """
      with gone as (delete from ticket where expires_at < clock_timestamp())
      insert into ticket (hash, tenant_id, sandbox_id, generation, epoch, subject, session_id,
          client_id, capability, route, origin, expires_at)
      select :hash, :tenant, :sandbox, :generation, :epoch, :subject, :session, :client,
          :capability, :route, :origin, clock_timestamp() + interval '30 seconds'
      where (select count(*) from ticket
          where sandbox_id = :sandbox and expires_at >= clock_timestamp()) < 64
      returning expires_at
      """;

  private static final String TAKE =
      """
      delete from ticket where hash = :hash
      returning sandbox_id, generation, epoch, subject, session_id, client_id, capability, route, origin,
          extract(epoch from expires_at)::bigint as expires, expires_at >= clock_timestamp() as live
      """;

  private final Jdbi jdbi;
  private final SecureRandom random = new SecureRandom();

  Tickets(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** Makes one; empty if the sandbox has 64 that nobody has used yet. */
  Optional<Ticket.Issued> issue(String tenantId, Ticket ticket) {
    byte[] secret = new byte[BYTES];
    random.nextBytes(secret);
    String value = Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    TokenClaims claims = ticket.claims();
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(INSERT)
                .bind("hash", hash(value))
                .bind("tenant", tenantId)
                .bind("sandbox", claims.sandboxId())
                .bind("generation", claims.generation())
                .bind("epoch", claims.epoch())
                .bind("subject", claims.subject())
                .bind("session", claims.sessionId())
                .bind("client", claims.clientId())
                .bind("capability", ticket.capability().wireName())
                .bind("route", ticket.route())
                .bind("origin", ticket.origin())
                .mapTo(Instant.class)
                .findOne()
                .map(expiry -> new Ticket.Issued(value, expiry)));
  }

  /** Takes one; whatever becomes of it, it is used now. Empty if there is none, or too late. */
  Optional<Ticket> redeem(String value) {
    if (!FORM.matcher(value).matches()) {
      return Optional.empty();
    }
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(TAKE)
                .bind("hash", hash(value))
                .map((row, _) -> row.getBoolean("live") ? Optional.of(read(row)) : none())
                .findOne()
                .flatMap(found -> found));
  }

  private static Optional<Ticket> none() {
    return Optional.empty();
  }

  private static Ticket read(ResultSet row) throws SQLException {
    Capability capability =
        Capability.of(row.getString("capability"))
            .orElseThrow(() -> new SQLException("a ticket of an unknown capability"));
    TokenClaims claims =
        new TokenClaims(
            new SandboxId(row.getString("sandbox_id")),
            row.getInt("generation"),
            row.getLong("epoch"),
            row.getString("subject"),
            row.getString("session_id"),
            Set.of(capability),
            0,
            row.getLong("expires"),
            row.getString("client_id"),
            null,
            null);
    return new Ticket(claims, row.getString("route"), row.getString("origin"));
  }

  private static byte[] hash(String value) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.US_ASCII));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK has no SHA-256", e);
    }
  }
}
