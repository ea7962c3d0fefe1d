package dev.sandboxer.bench.subject;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The programs that this process started and that have ended. */
public final class Children {

  private static final int USER_TIME = 13; // proc_pid_stat(5): cutime, counted after the name
  private static final double TICKS_A_SECOND = 100; // USER_HZ of every architecture that we run on

  private Children() {}

  /** Processor time of all of them and of theirs, in seconds, in steps of 10 ms. */
  public static double processorSeconds() throws IOException {
    String stat = Files.readString(Path.of("/proc/self/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[USER_TIME + 1]))
        / TICKS_A_SECOND;
  }
}
