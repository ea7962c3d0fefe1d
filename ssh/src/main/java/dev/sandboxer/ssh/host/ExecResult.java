package dev.sandboxer.ssh.host;

/**
 * How a command ended.
 *
 * @param end how
 * @param stdout what it wrote, if it went nowhere else
 * @param stderr what it wrote there, if it went nowhere else
 */
public record ExecResult(End end, Output stdout, Output stderr) {

  /** How it ended. */
  public sealed interface End {}

  /**
   * By itself.
   *
   * @param code 0 for success
   */
  public record Exited(int code) implements End {}

  /**
   * By a signal.
   *
   * @param signal its name, such as {@code KILL}
   */
  public record Signalled(String signal) implements End {}

  /** Nobody knows: the connection was lost, and the command may still run. */
  public record ConnectionLost() implements End {}

  /**
   * What it wrote.
   *
   * @param text the last of it; a binary output needs a sink
   * @param dropped how many bytes came before
   */
  public record Output(String text, long dropped) {}

  /**
   * Whether it ended by itself with this code.
   *
   * @param code such as 0
   * @return false also for a lost connection
   */
  public boolean exited(int code) {
    return end instanceof Exited exited && exited.code() == code;
  }
}
