package dev.sandboxer.bench.subject;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * Starts a program and waits for its end by posix_spawn(3) and waitpid(2) alone: the least that
 * starting a process costs here. Java's own ProcessBuilder starts a helper program first and hands
 * the end over between threads.
 */
public final class Spawn {

  private static final int ACTIONS_BYTES =
      256; // posix_spawn_file_actions_t has 80 in glibc and musl
  private static final int O_WRONLY = 1;

  private final MethodHandle spawn =
      function("posix_spawn", ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
  private final MethodHandle wait = function("waitpid", JAVA_INT, ADDRESS, JAVA_INT);
  private final List<String> command;
  private final MemorySegment path;
  private final MemorySegment arguments;
  private final MemorySegment environment;
  private final MemorySegment actions;
  private final MemorySegment pid;
  private final MemorySegment status;

  /** Prepares a command; the first word is an absolute path. It gets an empty environment. */
  public Spawn(List<String> command) {
    Arena arena = Arena.ofAuto();
    this.command = List.copyOf(command);
    this.path = arena.allocateFrom(command.getFirst());
    this.arguments = arena.allocate(ADDRESS, command.size() + 1L);
    for (int i = 0; i < command.size(); i++) {
      arguments.setAtIndex(ADDRESS, i, arena.allocateFrom(command.get(i)));
    }
    this.environment = arena.allocate(ADDRESS, 1);
    this.actions = quiet(arena);
    this.pid = arena.allocate(JAVA_INT);
    this.status = arena.allocate(JAVA_INT);
  }

  /** Runs it once, to its end. */
  public void run() throws IOException {
    try {
      MemorySegment none = MemorySegment.NULL;
      int error = (int) spawn.invokeExact(pid, path, actions, none, arguments, environment);
      if (error != 0) {
        throw new IOException("could not start " + command + ": errno " + error);
      }
      int ended = (int) wait.invokeExact(pid.get(JAVA_INT, 0), status, 0);
      if (ended < 0 || status.get(JAVA_INT, 0) != 0) {
        throw new IOException(command + " failed: wait status " + status.get(JAVA_INT, 0));
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** What it prints is thrown away. */
  private static MemorySegment quiet(Arena arena) {
    MemorySegment actions = arena.allocate(ACTIONS_BYTES, Long.BYTES);
    MethodHandle init = function("posix_spawn_file_actions_init", ADDRESS);
    MethodHandle open =
        function(
            "posix_spawn_file_actions_addopen", ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    try {
      int error = (int) init.invokeExact(actions);
      for (int descriptor = 1; descriptor <= 2; descriptor++) {
        error |=
            (int)
                open.invokeExact(actions, descriptor, arena.allocateFrom("/dev/null"), O_WRONLY, 0);
      }
      if (error != 0) {
        throw new IllegalStateException("posix_spawn_file_actions: errno " + error);
      }
      return actions;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  @SuppressWarnings("restricted") // the jar is started with native access
  private static MethodHandle function(String name, java.lang.foreign.MemoryLayout... arguments) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(JAVA_INT, arguments));
  }
}
