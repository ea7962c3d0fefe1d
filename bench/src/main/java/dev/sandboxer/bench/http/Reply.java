package dev.sandboxer.bench.http;

import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.util.Map;

/** A whole reply. */
public record Reply(int status, ByteBuffer body) {

  /** The body as text. */
  public String text() {
    return StandardCharsets.UTF_8.decode(body.duplicate()).toString();
  }

  /** This reply, if it has the wanted status. */
  public Reply require(int wanted) throws IOException {
    if (status != wanted) {
      throw new IOException("status %d, wanted %d: %s".formatted(status, wanted, text()));
    }
    return this;
  }

  /** The body's fields. */
  public Map<String, Object> json() throws IOException {
    try {
      return JSONObjectUtils.parse(text());
    } catch (ParseException e) {
      throw new IOException("not a JSON object: " + text(), e);
    }
  }

  /** A field that must be there and be text. */
  public String field(String name) throws IOException {
    if (json().get(name) instanceof String value) {
      return value;
    }
    throw new IOException("no text '" + name + "' in " + text());
  }
}
