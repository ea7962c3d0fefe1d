package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.dataplane.exec.CapturedOutput;
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

  private final CapturedOutput kept = new CapturedOutput(LIMIT);

  @Override
  public void out(byte[] bytes) {
    kept.out(bytes);
  }

  @Override
  public void err(byte[] bytes) {
    kept.err(bytes);
  }

  @Override
  public void describe(ObjectNode document) {
    describe(document, "stdout", kept.outBytes(), kept.outTruncated());
    describe(document, "stderr", kept.errBytes(), kept.errTruncated());
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
