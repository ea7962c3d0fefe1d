package dev.sandboxer.platform.installation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Named texts, such as environments, as sealed columns. */
@ApplicationScoped
public class SealedTexts {

  private static final TypeReference<Map<String, String>> TEXTS = new TypeReference<>() {};

  private final Sealer sealer;
  private final ObjectMapper json;

  SealedTexts(Sealer sealer, ObjectMapper json) {
    this.sealer = sealer;
    this.json = json;
  }

  /**
   * Encrypts texts.
   *
   * @param row names table, row and column, as for {@link Sealer#seal}
   * @param texts by name
   * @return null if there are none
   */
  public byte @Nullable [] seal(String row, Map<String, String> texts) {
    if (texts.isEmpty()) {
      return null;
    }
    try {
      return sealer.seal(row, json.writeValueAsBytes(texts));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(row + " cannot be written as JSON", e);
    }
  }

  /**
   * Decrypts texts.
   *
   * @param row the same text as for {@link #seal}
   * @param sealed from {@link #seal}
   * @return by name, empty for null
   * @throws IllegalStateException if the master key or the row is another one, or bytes changed
   */
  public Map<String, String> unseal(String row, byte @Nullable [] sealed) {
    if (sealed == null) {
      return Map.of();
    }
    try {
      return json.readValue(sealer.unseal(row, sealed), TEXTS);
    } catch (IOException e) {
      throw new IllegalStateException("the sealed " + row + " cannot be read", e);
    }
  }
}
