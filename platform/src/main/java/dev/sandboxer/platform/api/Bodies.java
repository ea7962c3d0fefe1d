package dev.sandboxer.platform.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/** Reads request bodies: bounded in size and depth, no name twice, nothing behind the end. */
@ApplicationScoped
public class Bodies {

  /** Largest JSON body, in bytes. */
  public static final int MAX_BYTES = 1 << 20;

  private static final int MAX_DRAINED = 16 << 20;
  private static final int MAX_DEPTH = 32;

  private final ObjectMapper strict =
      new ObjectMapper(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(JsonParser.Feature.INCLUDE_SOURCE_IN_LOCATION);

  /**
   * Reads the whole body.
   *
   * @param stream of the request
   * @return its bytes
   * @throws ProblemException TOO_LARGE, or VALIDATION if it broke off
   */
  public byte[] bytes(InputStream stream) {
    try {
      byte[] bytes = stream.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        drain(stream);
        throw new ProblemException(
            ErrorCode.TOO_LARGE, "the body is larger than %d bytes".formatted(MAX_BYTES));
      }
      return bytes;
    } catch (IOException e) {
      throw new ProblemException(ErrorCode.VALIDATION, "the body could not be read to its end");
    }
  }

  /** A client that is still sending would see a broken connection instead of the answer. */
  private static void drain(InputStream stream) throws IOException {
    byte[] discarded = new byte[8192];
    for (int left = MAX_DRAINED; left > 0; ) {
      int read = stream.read(discarded);
      left = read < 0 ? 0 : left - read;
    }
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
