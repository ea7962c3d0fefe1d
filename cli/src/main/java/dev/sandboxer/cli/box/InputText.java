package dev.sandboxer.cli.box;

import dev.sandboxer.cli.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** A command's whole input, which is part of a request: bounded, and text. */
final class InputText {
  private static final int MOST = 1_000_000;
  private static final String INSTEAD =
      "; copy it instead: sandboxer cp - SANDBOX:FILE, with the sandbox of sandboxer box show";

  private InputText() {}

  static String read(InputStream in) {
    try {
      byte[] bytes = in.readNBytes(MOST + 1);
      if (bytes.length > MOST) {
        throw Failure.usage("standard input has more than " + MOST + " bytes" + INSTEAD);
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw Failure.usage("standard input is no UTF-8" + INSTEAD);
    } catch (IOException e) {
      throw Failure.sandboxer("standard input cannot be read: " + e.getMessage(), e);
    }
  }
}
