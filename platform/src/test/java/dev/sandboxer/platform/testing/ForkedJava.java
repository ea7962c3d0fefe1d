package dev.sandboxer.platform.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs a main class of this build in a virtual machine of its own, which may be killed. */
public final class ForkedJava {

  private final List<String> prefix;
  private final Map<String, String> environment;

  /**
   * Describes the run.
   *
   * @param prefix a command that runs what follows it, such as a new mount namespace; may be empty
   * @param environment added to this process's
   */
  public ForkedJava(List<String> prefix, Map<String, String> environment) {
    this.prefix = List.copyOf(prefix);
    this.environment = Map.copyOf(environment);
  }

  /**
   * A run that sees a file system of its own at one folder.
   *
   * @param folder to mount on
   * @param options of the tmpfs, such as {@code ro} or {@code size=8m}
   * @param environment added to this process's
   * @return the description
   */
  public static ForkedJava withTmpfs(Path folder, String options, Map<String, String> environment) {
    String script = "mount -t tmpfs -o " + options + " tmpfs \"$0\" && exec \"$@\"";
    return new ForkedJava(
        List.of("unshare", "-rm", "sh", "-c", script, folder.toString()), environment);
  }

  /**
   * Starts it.
   *
   * @param main class to run
   * @param arguments for it
   * @return the process; both outputs in one
   */
  public Process start(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Runs it to its end.
   *
   * @param main class to run
   * @param arguments for it
   * @return code and output
   */
  public Result run(Class<?> main, String... arguments) {
    Process process = start(main, arguments);
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Result(process.waitFor(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * How a run ended.
   *
   * @param code exit code
   * @param output both outputs
   */
  public record Result(int code, String output) {}
}
