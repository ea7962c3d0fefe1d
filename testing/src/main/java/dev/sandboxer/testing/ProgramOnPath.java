package dev.sandboxer.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Finds programs that tests start. */
final class ProgramOnPath {

  private ProgramOnPath() {}

  static String find(String name, String remedy) {
    return Arrays.stream(System.getenv("PATH").split(":", -1))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException("the tests need %s on PATH; %s".formatted(name, remedy)))
        .toString();
  }
}
