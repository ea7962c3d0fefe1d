package dev.sandboxer.platform.api;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.database.Transactions;
import dev.sandboxer.platform.idempotency.IdempotencyKey;
import dev.sandboxer.platform.idempotency.IdempotencyKeys;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.Response;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The header {@code Idempotency-Key} of every create. */
@ApplicationScoped
public class IdempotentCreates {

  /** The header. */
  public static final String HEADER = "Idempotency-Key";

  private static final String REPLAYED = "Idempotency-Replayed";

  private static final Pattern KEY = Pattern.compile("\"?([\\x21\\x23-\\x7e]{1,255})\"?");

  private final Transactions transactions;
  private final IdempotencyKeys keys;
  private final Bodies bodies;

  IdempotentCreates(Transactions transactions, IdempotencyKeys keys, Bodies bodies) {
    this.transactions = transactions;
    this.keys = keys;
    this.bodies = bodies;
  }

  /**
   * Reads the header.
   *
   * @param principal who calls
   * @param route method and path template
   * @param header a quoted or bare string, null if absent
   * @param body what was sent
   * @return null if the header is absent
   * @throws ProblemException VALIDATION if it is malformed
   */
  public @Nullable IdempotencyKey key(
      Principal principal, String route, @Nullable String header, byte[] body) {
    if (header == null) {
      return null;
    }
    var match = KEY.matcher(header.strip());
    if (!match.matches()) {
      throw new ProblemException(
          ErrorCode.VALIDATION, HEADER + " must be 1 to 255 visible characters, quoted or bare");
    }
    return new IdempotencyKey(
        principal.tenantId(), principal.keyId(), route, match.group(1), bodies.fingerprint(body));
  }

  /**
   * Creates something in one transaction, or finds what an earlier request with the key made.
   *
   * @param <T> what is made
   * @param key from {@link #key}, null if none was sent
   * @param make makes it
   * @param id its id
   * @param find finds an earlier one by its id
   * @return what was made, now or earlier
   */
  public <T> Made<T> once(
      @Nullable IdempotencyKey key,
      Function<Handle, T> make,
      Function<T, String> id,
      Earlier<T> find) {
    return transactions.inTransaction(
        open -> {
          String earlier = key == null ? null : keys.find(open, key).orElse(null);
          if (earlier != null) {
            return new Made<>(find.find(open, earlier), true);
          }
          T made = make.apply(open);
          if (key != null && !keys.keep(open, key, id.apply(made))) {
            throw new ProblemException(
                ErrorCode.INVALID_STATE,
                "a request with the same Idempotency-Key is under way; send it again");
          }
          return new Made<>(made, false);
        });
  }

  /**
   * Tells whether a reply is about what an earlier request made.
   *
   * @param reply to a create
   * @param replayed whether it is
   * @return the same
   */
  public static Response.ResponseBuilder marked(Response.ResponseBuilder reply, boolean replayed) {
    return replayed ? reply.header(REPLAYED, "true") : reply;
  }

  /**
   * Finds what an earlier request made.
   *
   * @param <T> what was made
   */
  @FunctionalInterface
  public interface Earlier<T> {
    /**
     * Finds it.
     *
     * @param open the transaction
     * @param id of what was made
     * @return as it is now
     */
    T find(Handle open, String id);
  }

  /**
   * What a create gave.
   *
   * @param <T> what is made
   * @param value as it is now
   * @param replayed whether an earlier request made it
   */
  public record Made<T>(T value, boolean replayed) {

    /**
     * The reply to the create.
     *
     * @return 201 with what was made
     */
    public Response reply() {
      return marked(Response.status(Response.Status.CREATED).entity(value), replayed).build();
    }
  }
}
