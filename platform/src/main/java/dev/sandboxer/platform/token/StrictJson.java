package dev.sandboxer.platform.token;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.Base64;

/** Reads parts of a token: base64url in its one canonical form, JSON without duplicates. */
final class StrictJson {

  private static final int MAX_DEPTH = 4;
  private static final int MAX_NUMBER = 20;

  private final ObjectReader reader =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxNumberLength(MAX_NUMBER)
                          .build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build()
          .reader();

  JsonNode object(String part) throws TokenRefusedException {
    try {
      JsonNode node = reader.readTree(bytes(part));
      if (!node.isObject()) {
        throw new TokenRefusedException("a part is not a JSON object");
      }
      return node;
    } catch (JsonProcessingException e) {
      throw new TokenRefusedException("a part is not strict JSON");
    } catch (IOException e) {
      throw new TokenRefusedException("a part cannot be read");
    }
  }

  byte[] bytes(String part) throws TokenRefusedException {
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(part);
      if (!Base64.getUrlEncoder().withoutPadding().encodeToString(bytes).equals(part)) {
        throw new TokenRefusedException("a part is not canonical base64url");
      }
      return bytes;
    } catch (IllegalArgumentException e) {
      throw new TokenRefusedException("a part is not base64url");
    }
  }
}
