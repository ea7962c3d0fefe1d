package dev.sandboxer.platform.connection;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * All connections of clients to this node. One too many costs the oldest that does nothing, never
 * one that is served, so that an address that opens connections without end ends its own. Usable
 * from any thread.
 */
final class Connections {

  /** Room is made for some at once, as a look at all of them takes a moment. */
  private static final int ROOM = 32;

  private final ConnectionLimits limits;
  private final Set<ClientConnection> open = ConcurrentHashMap.newKeySet();
  private final Map<String, LinkedHashSet<ClientConnection>> silent = new ConcurrentHashMap<>();

  Connections(ConnectionLimits limits) {
    this.limits = limits;
  }

  ConnectionLimits limits() {
    return limits;
  }

  /** A connection was accepted. */
  void opened(ClientConnection connection) {
    open.add(connection);
    if (open.size() > limits.open()) {
      makeRoom(connection);
    }
    ClientConnection eldest = addSilent(connection);
    if (eldest != null) {
      eldest.dropIdle();
    }
  }

  /** The head of its first request is complete. */
  void heard(ClientConnection connection) {
    silent.computeIfPresent(
        connection.address(),
        (address, connections) -> {
          connections.remove(connection);
          return connections.isEmpty() ? null : connections;
        });
  }

  /** It is gone. Repeatable. */
  void closed(ClientConnection connection) {
    open.remove(connection);
    heard(connection);
  }

  private @Nullable ClientConnection addSilent(ClientConnection connection) {
    ClientConnection[] eldest = new ClientConnection[1];
    silent.compute(
        connection.address(),
        (address, known) -> {
          LinkedHashSet<ClientConnection> connections =
              known == null ? new LinkedHashSet<>() : known;
          connections.add(connection);
          if (connections.size() > limits.silent()) {
            eldest[0] = connections.removeFirst();
          }
          return connections;
        });
    return eldest[0];
  }

  private void makeRoom(ClientConnection last) {
    List<ClientConnection> idle =
        open.stream()
            .filter(connection -> connection != last && connection.restingSince() != 0)
            .sorted(Comparator.comparingLong(ClientConnection::restingSince))
            .limit(ROOM)
            .toList();
    idle.forEach(ClientConnection::dropIdle);
    if (idle.isEmpty()) {
      last.dropIdle();
    }
  }
}
