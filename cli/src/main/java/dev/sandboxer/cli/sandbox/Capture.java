package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Output is kept for the JSON document, up to a limit a stream; what is over it is dropped and
 * told.
 */
final class Capture implements OutputSink {
  private static final int LIMIT = 10 << 20;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private boolean outTruncated;
  private boolean errTruncated;

  @Override
  public void out(byte[] bytes) {
    outTruncated |= keep(out, bytes);
  }

  @Override
  public void err(byte[] bytes) {
    errTruncated |= keep(err, bytes);
  }

  private static boolean keep(ByteArrayOutputStream kept, byte[] bytes) {
    int room = Math.min(bytes.length, LIMIT - kept.size());
    kept.write(bytes, 0, room);
    return room < bytes.length;
  }

  @Override
  public void describe(ObjectNode document) {
    describe(document, "stdout", out.toByteArray(), outTruncated);
    describe(document, "stderr", err.toByteArray(), errTruncated);
  }

  private static void describe(
      ObjectNode document, String stream, byte[] bytes, boolean truncated) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      document.put(stream, text).put(stream + "_encoding", "utf-8");
    } catch (CharacterCodingException e) {
      document
          .put(stream, Base64.getEncoder().encodeToString(bytes))
          .put(stream + "_encoding", "base64");
    }
    document.put(stream + "_truncated", truncated);
  }
}
