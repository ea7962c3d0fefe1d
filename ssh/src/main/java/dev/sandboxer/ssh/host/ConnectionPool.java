package dev.sandboxer.ssh.host;

import dev.sandboxer.spi.Call;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshException.Kind;
import dev.sandboxer.ssh.SshSettings;
import dev.sandboxer.ssh.wire.SshConnection;
import dev.sandboxer.ssh.wire.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one machine. Each carries a bounded number of streams and of commands; where
 * none has room, a further one is made, one at a time, since sshd turns away many logins at once.
 */
final class ConnectionPool {

  /** What is done on a connection. */
  enum Use {
    STREAM,
    COMMAND
  }

  /** Makes a connection. */
  @FunctionalInterface
  interface Connector {
    SshConnection connect(Call call) throws SshException;
  }

  private final SshSettings settings;
  private final Connector connector;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Shared> connections = new ArrayList<>();
  private @Nullable Attempt attempt;
  private boolean closed;

  ConnectionPool(SshSettings settings, Connector connector) {
    this.settings = settings;
    this.connector = connector;
  }

  /** A connection and what is on it; under the lock. */
  private static final class Shared {
    private final SshConnection connection;
    private int streams;
    private int commands;

    private Shared(SshConnection connection) {
      this.connection = connection;
    }
  }

  /** A login under way. Whoever waited for it shares its failure. */
  private static final class Attempt {
    private Optional<SshException> failure = Optional.empty();
  }

  /** A place on a connection. */
  final class Place {
    private final Shared shared;
    private final Use use;
    private boolean given;

    private Place(Shared shared, Use use) {
      this.shared = shared;
      this.use = use;
    }

    SshConnection connection() {
      return shared.connection;
    }

    /** Gives it back. Repeatable. */
    void give() {
      lock.lock();
      try {
        if (!given) {
          given = true;
          count(shared, use, -1);
          changed.signalAll();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Waits for a place on a connection that works as far as is known. */
  Place take(Use use, Call call) throws SshException {
    while (true) {
      Optional<Place> place = find(use, call);
      if (place.isPresent()) {
        return place.get();
      }
      connect(call);
    }
  }

  /** A place, or nothing if it is now the caller's turn to connect. */
  private Optional<Place> find(Use use, Call call) throws SshException {
    lock.lock();
    try {
      while (true) {
        checkOpen();
        Waits.check(call);
        connections.removeIf(shared -> !shared.connection.alive());
        Optional<Place> place =
            connections.stream()
                .filter(shared -> room(shared, use))
                .findFirst()
                .map(shared -> new Place(shared, use));
        if (place.isPresent()) {
          count(place.get().shared, use, 1);
          return place;
        }
        Attempt current = attempt;
        if (current == null && connections.size() < settings.connections()) {
          attempt = new Attempt();
          return Optional.empty();
        }
        changed.await(Waits.slice(call), TimeUnit.MILLISECONDS);
        if (current != null && current.failure.isPresent()) {
          SshException failure = current.failure.get();
          throw new SshException(failure.kind(), String.valueOf(failure.getMessage()), failure);
        }
      }
    } catch (InterruptedException e) {
      throw Waits.interrupted(e);
    } finally {
      lock.unlock();
    }
  }

  private void connect(Call call) throws SshException {
    SshConnection made = null;
    SshException failure = null;
    try {
      made = connector.connect(call);
    } catch (SshException e) {
      failure = e;
      throw e;
    } finally {
      finish(made, failure);
    }
  }

  private void finish(@Nullable SshConnection made, @Nullable SshException failure) {
    boolean late;
    lock.lock();
    try {
      // A call that ran out of its own time says nothing about the machine.
      if (attempt != null
          && failure != null
          && failure.kind() != Kind.CANCELLED
          && failure.kind() != Kind.TIMEOUT) {
        attempt.failure = Optional.of(failure);
      }
      attempt = null;
      late = closed;
      if (made != null && !late) {
        connections.add(new Shared(made));
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (made != null && late) {
      made.close();
    }
  }

  private boolean room(Shared shared, Use use) {
    return switch (use) {
      case STREAM -> shared.streams < settings.streams();
      case COMMAND -> shared.commands < settings.commands();
    };
  }

  private static void count(Shared shared, Use use, int change) {
    switch (use) {
      case STREAM -> shared.streams += change;
      case COMMAND -> shared.commands += change;
    }
  }

  private void checkOpen() throws SshException {
    if (closed) {
      throw new SshException(Kind.LOST, "the connections to this machine are closed");
    }
  }

  /** How many connections there are that work as far as is known. */
  int size() {
    lock.lock();
    try {
      return (int) connections.stream().filter(shared -> shared.connection.alive()).count();
    } finally {
      lock.unlock();
    }
  }

  void close() {
    List<Shared> all;
    lock.lock();
    try {
      closed = true;
      all = List.copyOf(connections);
      connections.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    all.forEach(shared -> shared.connection.close());
  }
}
