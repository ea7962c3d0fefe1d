package dev.sandboxer.bench.subject;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The TCP connections of a process, as the kernel lists them. */
final class TcpConnections {

  private static final String ESTABLISHED = "01";
  private static final int REMOTE = 2;
  private static final int STATE = 3;
  private static final int INODE = 9;

  private TcpConnections() {}

  /** How many are established to a port. */
  static long to(int port, long pid) throws IOException {
    Path process = Path.of("/proc", Long.toString(pid));
    Set<String> own = sockets(process.resolve("fd"));
    String suffix = ":%04X".formatted(port);
    long count = 0;
    for (String list : List.of("net/tcp", "net/tcp6")) {
      try (Stream<String> lines = Files.lines(process.resolve(list))) {
        count +=
            lines
                .skip(1)
                .map(line -> line.strip().split("\\s+"))
                .filter(entry -> entry[REMOTE].endsWith(suffix) && entry[STATE].equals(ESTABLISHED))
                .filter(entry -> own.contains("socket:[" + entry[INODE] + "]"))
                .count();
      }
    }
    return count;
  }

  private static Set<String> sockets(Path descriptors) throws IOException {
    Set<String> sockets = new HashSet<>();
    try (Stream<Path> all = Files.list(descriptors)) {
      for (Path one : all.toList()) {
        try {
          sockets.add(Files.readSymbolicLink(one).toString());
        } catch (NoSuchFileException e) {
          // It has been closed meanwhile.
        }
      }
    }
    return sockets;
  }
}
