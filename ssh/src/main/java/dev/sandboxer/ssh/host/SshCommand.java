package dev.sandboxer.ssh.host;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A command.
 *
 * @param arguments the program and its arguments, each given to it exactly as it is here
 * @param stdin what it reads; empty for nothing. It is closed at the end.
 * @param stdout where its output goes as it comes; empty to keep it in the result
 * @param stderr where its messages go as they come; empty to keep them in the result
 * @param keep how many bytes the result keeps of each, from the end
 */
public record SshCommand(
    List<String> arguments,
    Optional<InputStream> stdin,
    Optional<OutputStream> stdout,
    Optional<OutputStream> stderr,
    int keep) {

  private static final int DEFAULT_KEEP = 1024 * 1024;

  /** Keeps an immutable copy. */
  public SshCommand {
    arguments = List.copyOf(arguments);
    if (arguments.isEmpty()) {
      throw new IllegalArgumentException("a command needs a program");
    }
  }

  /**
   * A command without input, whose output is kept.
   *
   * @param arguments the program and its arguments
   * @return the command
   */
  public static SshCommand of(String... arguments) {
    return of(List.of(arguments));
  }

  /**
   * A command without input, whose output is kept.
   *
   * @param arguments the program and its arguments
   * @return the command
   */
  public static SshCommand of(List<String> arguments) {
    return new SshCommand(
        arguments, Optional.empty(), Optional.empty(), Optional.empty(), DEFAULT_KEEP);
  }

  /**
   * A constant script for {@code sh}.
   *
   * @param text fixed text: what comes from elsewhere is a parameter
   * @param parameters {@code $1} and so on
   * @return the command
   */
  static SshCommand script(String text, String... parameters) {
    List<String> arguments = new ArrayList<>(List.of("sh", "-c", text, "sh"));
    arguments.addAll(List.of(parameters));
    return of(arguments);
  }

  /**
   * With input.
   *
   * @param source what it reads
   * @return a copy
   */
  public SshCommand withStdin(InputStream source) {
    return new SshCommand(arguments, Optional.of(source), stdout, stderr, keep);
  }

  /**
   * With its output elsewhere.
   *
   * @param sink gets it as it comes
   * @return a copy
   */
  public SshCommand withStdout(OutputStream sink) {
    return new SshCommand(arguments, stdin, Optional.of(sink), stderr, keep);
  }

  /**
   * With its messages elsewhere.
   *
   * @param sink gets them as they come
   * @return a copy
   */
  public SshCommand withStderr(OutputStream sink) {
    return new SshCommand(arguments, stdin, stdout, Optional.of(sink), keep);
  }

  /**
   * With another bound.
   *
   * @param bytes how many bytes of each output the result keeps
   * @return a copy
   */
  public SshCommand keeping(int bytes) {
    return new SshCommand(arguments, stdin, stdout, stderr, bytes);
  }
}
