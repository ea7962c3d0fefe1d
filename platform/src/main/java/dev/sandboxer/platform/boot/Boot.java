package dev.sandboxer.platform.boot;

import dev.sandboxer.platform.connection.ConnectionExtension;
import dev.sandboxer.platform.database.DatabaseAddress;
import dev.sandboxer.platform.database.EmbeddedPostgres;
import dev.sandboxer.platform.installation.Environment;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.HomeLock;
import dev.sandboxer.platform.installation.ListenAddress;
import dev.sandboxer.platform.installation.MasterKey;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.installation.StartupException;
import io.quarkus.runtime.Quarkus;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Brings up home, lock, database and framework, in this order, and takes them down in reverse. */
public final class Boot {

  private final Environment environment;
  private final PrintStream errors;

  /**
   * Makes the boot.
   *
   * @param environment where settings are read
   * @param errors gets one line if the platform cannot start
   */
  public Boot(Environment environment, PrintStream errors) {
    this.environment = environment;
    this.errors = errors;
  }

  /**
   * Runs until the platform is asked to stop or the command is done.
   *
   * @param arguments nothing, or a {@link CommandMode}'s name and arguments
   * @return the exit code: 0 after a clean end, 1 if the platform could not start
   */
  public int run(String... arguments) {
    try {
      Home home = Home.open(environment);
      Settings settings = Settings.load(home, environment);
      if (arguments.length == 0) {
        checkPort(settings.listen());
      }
      return locked(home, settings, arguments);
    } catch (StartupException e) {
      errors.println("sandboxer: " + e.getMessage());
      return 1;
    }
  }

  private int locked(Home home, Settings settings, String... arguments) {
    try (Shutdown _ = Shutdown.hooked(settings.drainTime());
        HomeLock _ = HomeLock.take(home)) {
      MasterKey.open(home, settings);
      Logs.toStandardOutput();
      if (settings.externalDatabase().isPresent()) {
        configure(DatabaseAddress.of(settings.externalDatabase().get()));
        return framework(settings, arguments);
      }
      try (EmbeddedPostgres postgres = EmbeddedPostgres.start(home, home.resolve("cache"))) {
        configure(postgres.address());
        return framework(settings, arguments);
      }
    }
  }

  private static void configure(DatabaseAddress address) {
    address.configuration().forEach(System::setProperty);
  }

  private static int framework(Settings settings, String... arguments) {
    ConnectionExtension.enable();
    System.setProperty(RunMode.SERVING, Boolean.toString(arguments.length == 0));
    new HttpConfiguration(settings).properties(arguments.length == 0).forEach(System::setProperty);
    AtomicInteger code = new AtomicInteger();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Quarkus.run(
        Application.class,
        (exit, thrown) -> {
          code.set(exit);
          failure.set(thrown);
        },
        arguments);
    @Nullable Throwable thrown = failure.get();
    if (thrown != null) {
      throw explained(thrown);
    }
    return code.get();
  }

  private static StartupException explained(Throwable thrown) {
    Optional<StartupException> known = Optional.empty();
    for (@Nullable Throwable t = thrown; t != null && known.isEmpty(); t = t.getCause()) {
      known = t instanceof StartupException s ? Optional.of(s) : Optional.empty();
    }
    return known.orElseGet(
        () -> new StartupException("the platform failed: " + innermost(thrown), thrown));
  }

  /** The frameworks' own failures say no more than that they failed. */
  private static Throwable innermost(Throwable thrown) {
    Throwable cause = thrown;
    for (@Nullable Throwable t = thrown.getCause(); t != null; t = t.getCause()) {
      cause = t;
    }
    return cause;
  }

  private static void checkPort(ListenAddress listen) {
    try (ServerSocket probe =
        new ServerSocket(listen.port(), 1, InetAddress.getByName(listen.host()))) {
      probe.getLocalPort();
    } catch (IOException e) {
      throw new StartupException(
          "cannot listen on %s:%d (%s): stop what uses port %d, or set SANDBOXER_LISTEN to another host:port"
              .formatted(listen.host(), listen.port(), e.getMessage(), listen.port()),
          e);
    }
  }
}
