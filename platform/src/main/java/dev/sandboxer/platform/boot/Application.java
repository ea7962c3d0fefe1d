package dev.sandboxer.platform.boot;

import dev.sandboxer.platform.database.IdleTransactionLimit;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Installation;
import dev.sandboxer.platform.installation.StartupException;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.vertx.core.Vertx;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jboss.logging.Logger;

/** What runs once the framework is up. */
class Application implements QuarkusApplication {

  private static final Logger LOG = Logger.getLogger(Application.class);

  private final Home home;
  private final PublicAddress address;
  private final Installation installation;
  private final Hosts hosts;
  private final Instance<CommandMode> commands;
  private final Vertx vertx;
  private final IdleTransactionLimit idleTransactions;

  Application(
      Home home,
      PublicAddress address,
      Installation installation,
      Hosts hosts,
      @Any Instance<CommandMode> commands,
      Vertx vertx,
      IdleTransactionLimit idleTransactions) {
    this.home = home;
    this.address = address;
    this.installation = installation;
    this.hosts = hosts;
    this.commands = commands;
    this.vertx = vertx;
    this.idleTransactions = idleTransactions;
  }

  @Override
  public int run(String... arguments) {
    return arguments.length == 0 ? serve() : command(Arrays.asList(arguments));
  }

  private int serve() {
    if (!vertx.isNativeTransportEnabled()) {
      throw new StartupException(
          "the native transport (epoll) does not load, and the relay needs it for Unix sockets: "
              + vertx.unavailableNativeTransportCause());
    }
    idleTransactions.enforce();
    String url = address.local();
    home.writePrivate("url", (url + "\n").getBytes(StandardCharsets.UTF_8));
    hosts.reachedAt(address.internal());
    LOG.infof("installation %s serves %s", installation.id(), url);
    Quarkus.waitForExit();
    return 0;
  }

  private int command(List<String> arguments) {
    String name = arguments.getFirst();
    CommandMode command =
        commands.stream()
            .filter(candidate -> candidate.name().equals(name))
            .findFirst()
            .orElseThrow(() -> unknown(name));
    return command.run(arguments.subList(1, arguments.size()));
  }

  private StartupException unknown(String name) {
    return new StartupException(
        "unknown command '%s'; there are: %s"
            .formatted(name, commands.stream().map(CommandMode::name).sorted().toList()));
  }
}
