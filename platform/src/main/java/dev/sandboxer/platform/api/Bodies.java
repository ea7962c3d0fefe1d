package dev.sandboxer.platform.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.connection.ClientConnection;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads request bodies: bounded in size and depth, no name twice, nothing behind the end. */
@ApplicationScoped
public class Bodies {

  /** Largest JSON body, in bytes. */
  public static final int MAX_BYTES = 1 << 20;

  private static final Duration MAX_TIME = Duration.ofSeconds(30);
  private static final int MAX_DEPTH = 32;

  private final RoutingContext request;
  private final BodyBudget budget;
  private final ObjectMapper strict =
      new ObjectMapper(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(JsonParser.Feature.INCLUDE_SOURCE_IN_LOCATION);

  Bodies(RoutingContext request, BodyBudget budget) {
    this.request = request;
    this.budget = budget;
  }

  /**
   * Reads the whole body.
   *
   * @param stream of the request
   * @return its bytes
   * @throws ProblemException TOO_LARGE, OVERLOADED, REQUEST_TIMEOUT if it takes longer than 30 s,
   *     or VALIDATION if it broke off
   */
  public byte[] bytes(InputStream stream) {
    HttpServerRequest http = request.request();
    ClientConnection connection = ClientConnection.of(http.connection());
    try (BodyBudget.Share share = budget.share(connection.address());
        ReadDeadline _ = new ReadDeadline(request.vertx(), MAX_TIME)) {
      long declared = declared(http);
      checkSize(declared);
      share.atLeast(declared);
      connection.bodyFlows();
      byte[] all = read(stream, share);
      connection.bodyRead();
      return all;
    } catch (InterruptedIOException e) {
      throw late(MAX_TIME);
    } catch (IOException e) {
      throw new ProblemException(ErrorCode.VALIDATION, "the body could not be read to its end");
    } finally {
      connection.bodyWaits();
    }
  }

  /**
   * Passes a body on as it comes, with memory for a part of it alone.
   *
   * @param stream of the request
   * @param into takes it, and throws a {@link ProblemException} where it takes no more
   * @param most bytes, for what the head says; {@code into} counts what comes
   * @param time for all of it
   * @throws ProblemException TOO_LARGE, OVERLOADED, REQUEST_TIMEOUT, or VALIDATION if it broke off
   */
  public void copy(InputStream stream, OutputStream into, long most, Duration time) {
    HttpServerRequest http = request.request();
    ClientConnection connection = ClientConnection.of(http.connection());
    long declared = declared(http);
    if (declared > most) {
      throw tooLarge(most);
    }
    long start = System.nanoTime();
    try (BodyBudget.Share share = budget.share(connection.address());
        ReadDeadline _ = new ReadDeadline(request.vertx(), time)) {
      share.atLeast(MAX_BYTES);
      connection.bodyFlows();
      long copied = stream.transferTo(into);
      if (declared > 0 && copied < declared) {
        throw new IOException("%d of %d bytes".formatted(copied, declared));
      }
      connection.bodyRead();
    } catch (ProblemException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      if (System.nanoTime() - start >= time.toNanos()) {
        throw late(time);
      }
      if (e instanceof RuntimeException other) {
        throw other;
      }
      throw new ProblemException(ErrorCode.VALIDATION, "the body could not be read to its end");
    } finally {
      connection.bodyWaits();
    }
  }

  private static ProblemException late(Duration time) {
    return new ProblemException(
        ErrorCode.REQUEST_TIMEOUT,
        "the body did not come in %d s; send it again".formatted(time.toSeconds()));
  }

  private static byte[] read(InputStream stream, BodyBudget.Share share) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] part = new byte[8192];
    for (int read = stream.read(part); read >= 0; read = stream.read(part)) {
      checkSize(all.size() + read);
      share.atLeast(all.size() + read);
      all.write(part, 0, read);
    }
    return all.toByteArray();
  }

  private static void checkSize(long bytes) {
    if (bytes > MAX_BYTES) {
      throw tooLarge(MAX_BYTES);
    }
  }

  private static ProblemException tooLarge(long most) {
    return new ProblemException(
        ErrorCode.TOO_LARGE, "the body is larger than %d bytes".formatted(most));
  }

  /** What the head says, 0 where it does not: then the body is counted as it comes. */
  private static long declared(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return length == null ? 0 : Long.parseLong(length);
  }

  /**
   * Reads a JSON object.
   *
   * @param bytes of the body
   * @param example a valid body, shown with each mistake; null for none
   * @return the object
   * @throws ProblemException VALIDATION if it is no JSON object
   */
  public Body object(byte[] bytes, @Nullable Object example) {
    Body none = new Body(strict.createObjectNode(), "", example);
    JsonNode node;
    try {
      node = strict.readTree(bytes);
    } catch (JsonProcessingException e) {
      throw none.invalid("the body is not valid JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw none.invalid("the body is not valid JSON");
    }
    if (node == null || !node.isObject()) {
      throw none.invalid("the body must be a JSON object");
    }
    return new Body(node, "", example);
  }

  /**
   * What makes two bodies the same.
   *
   * @param bytes of the body
   * @return SHA-256
   */
  public byte[] fingerprint(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
