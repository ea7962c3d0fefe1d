package dev.sandboxer.platform.pipeline;

import dev.sandboxer.spi.Mount;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An MCP server of a pipeline: a program that speaks MCP over its standard input and output.
 *
 * @param name what it is called in the pipeline, and its folder inside
 * @param command program and arguments
 * @param packageRoot folder of the host that is mounted as its folder; empty for an empty folder
 * @param writable whether it may write in the package root
 * @param sharing who a process serves
 * @param startSeconds in which it has to answer {@code initialize}; empty for boxd's own
 * @param env of the program, laid over the pipeline's; stored sealed
 */
public record McpServer(
    String name,
    List<String> command,
    Optional<String> packageRoot,
    boolean writable,
    Sharing sharing,
    Optional<Long> startSeconds,
    Map<String, String> env) {

  /** The folder of all MCP servers inside; from the reference Box runtime. */
  public static final String FOLDER = "/workspace/.mcp";

  private static final long FOLDER_BYTES = 64L << 20;

  /** The form of a name; boxd adds to it in the ids of processes. */
  public static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,47}");

  /** Who a process serves. */
  public enum Sharing {
    /** All clients. */
    SHARED,
    /** One session of a client; each has its own process. */
    OWNED
  }

  /** Keeps immutable copies. */
  public McpServer {
    command = List.copyOf(command);
    env = Map.copyOf(env);
  }

  /**
   * Its folder inside, in which it is started.
   *
   * @return below {@link #FOLDER}
   */
  public String folder() {
    return FOLDER + "/" + name;
  }

  /**
   * Its folder as a mount.
   *
   * @return its package root, else a file system in memory
   */
  public Mount mount() {
    return packageRoot
        .<Mount>map(root -> new Mount.HostFolder(root, folder(), writable))
        .orElseGet(() -> new Mount.Tmpfs(FOLDER_BYTES, folder()));
  }

  /**
   * The same with another environment.
   *
   * @param other of the program
   * @return a copy
   */
  McpServer with(Map<String, String> other) {
    return new McpServer(name, command, packageRoot, writable, sharing, startSeconds, other);
  }
}
