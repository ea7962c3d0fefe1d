package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether this machine can run programs of an image that was built for another one. */
final class Emulation {

  private static final Path HANDLERS = Path.of("/proc/sys/fs/binfmt_misc");

  private Emulation() {}

  static void check(Image image, EngineFacts facts) throws ExtensionException {
    boolean runs =
        image.os().equals("linux")
            && (image.architecture().equals(facts.architecture()) || handled(image.architecture()));
    if (!runs) {
      throw new ExtensionException(
          ErrorCode.UNSUPPORTED,
          "image %s is for %s/%s and this machine is linux/%s: name an image for it, or install qemu-user-static, which runs others slowly"
              .formatted(image.name(), image.os(), image.architecture(), facts.architecture()));
    }
  }

  private static boolean handled(String architecture) {
    String name =
        switch (architecture) {
          case "arm64" -> "aarch64";
          case "amd64" -> "x86_64";
          default -> architecture;
        };
    try {
      return Files.readString(HANDLERS.resolve("qemu-" + name)).startsWith("enabled");
    } catch (IOException e) {
      return false;
    }
  }
}
