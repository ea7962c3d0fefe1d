package dev.sandboxer.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The distribution's command line, as a process of its own, against one platform. */
record Cli(Platform platform, Path folder) {

  /** In no particular folder. */
  Cli(Platform platform) {
    this(platform, platform.home());
  }

  /** The same in another working directory. */
  Cli in(Path other) {
    return new Cli(platform, other);
  }

  /** How a call ended. */
  @SuppressWarnings("ArrayRecordComponent") // what was printed, never compared as a whole
  record Result(int code, byte[] bytes, String err) {

    String out() {
      return new String(bytes, StandardCharsets.UTF_8);
    }

    JsonNode json() {
      try {
        return Api.JSON.readTree(bytes);
      } catch (IOException e) {
        throw new UncheckedIOException("not JSON: " + out(), e);
      }
    }
  }

  Result run(String... arguments) {
    return run(new byte[0], arguments);
  }

  Result run(byte[] input, String... arguments) {
    try {
      Path errors = Files.createTempFile(platform.home().resolve("logs"), "cli", ".log");
      Process process = begin(errors, arguments);
      try (var stdin = process.getOutputStream()) {
        stdin.write(input);
      }
      byte[] out = process.getInputStream().readAllBytes();
      return new Result(process.waitFor(), out, Files.readString(errors));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Starts a call; its standard error goes into {@code errors}. */
  Process begin(Path errors, String... arguments) {
    return start(command(arguments), errors);
  }

  /** What a call is as a process. */
  List<String> command(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-Xlog:disable");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(Prepared.startCache("cli"));
    command.add("-jar");
    command.add(Platform.dist().resolve("cli/sandboxer-cli.jar").toString());
    command.addAll(List.of(arguments));
    return command;
  }

  /** Starts a command with the surroundings of a call. */
  Process start(List<String> command, Path errors) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().put("SANDBOXER_HOME", platform.home().toString());
    builder.environment().remove("SANDBOXER_URL");
    builder.environment().remove("SANDBOXER_KEY");
    builder.redirectError(errors.toFile());
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
