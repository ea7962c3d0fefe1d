package dev.sandboxer.testing.faulty;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.CostQuery;
import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.DataplaneAddress.HttpsBase;
import dev.sandboxer.spi.DataplaneAddress.Streams;
import dev.sandboxer.spi.DataplaneAddress.Trust;
import dev.sandboxer.spi.DataplaneAddress.UnixSocket;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.MeterQuote;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The guide's extension, whose sandboxes are reached in another way. */
final class AnotherWay implements SandboxExtension {

  private static final Pattern LISTENING =
      Pattern.compile("\"address\":\"tcp:127\\.0\\.0\\.1:([0-9]+)\"");
  private static final int STREAMS = 64;
  private static final long LOOK_MILLIS = 10;

  private final Way way;
  private final SandboxExtension sound;
  private final ExtensionContext context;

  AnotherWay(Way way, SandboxExtension sound, ExtensionContext context) {
    this.way = way;
    this.sound = sound;
    this.context = context;
  }

  @Override
  public SandboxHandle provision(ProvisionRequest request, Call call) throws ExtensionException {
    return sound.provision(way == Way.TLS ? onAPort(request) : request, call);
  }

  private ProvisionRequest onAPort(ProvisionRequest request) {
    Daemon daemon = request.daemon();
    return ProvisionRequest.of(
        request.identity(),
        request.spec(),
        request.host(),
        new Daemon(
            (os, arch) -> script(daemon.binary(os, arch)),
            daemon.arguments(),
            daemon.configWithTls()));
  }

  /** Starts boxd on a port where the guide's extension asks for a socket. */
  private Path script(Path boxd) {
    try {
      Path script = Files.createTempFile(context.stateFolder(), "boxd", ".sh");
      Files.writeString(
          script,
          """
          #!/bin/sh
          for word; do
            shift
            case "$word" in unix:*) word=tcp:127.0.0.1:0 ;; esac
            set -- "$@" "$word"
          done
          exec '%s' "$@"
          """
              .formatted(boxd));
      return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Reachability waitReady(SandboxHandle handle, Call call) throws ExtensionException {
    if (way == Way.TLS) {
      return Reachability.at(port(handle, call), handle.data());
    }
    Reachability reachable = sound.waitReady(handle, call);
    return reachable.dataplane() instanceof UnixSocket(Path socket)
        ? Reachability.at(
            new Streams(new SocketOpener(UnixDomainSocketAddress.of(socket), STREAMS)),
            reachable.providerUid())
        : reachable;
  }

  /** The kernel chooses it, boxd writes it into its log. */
  private DataplaneAddress port(SandboxHandle handle, Call call) throws ExtensionException {
    Path log = context.runFolder().resolve(handle.data()).resolve("log");
    while (!call.cancelled()) {
      try {
        Matcher listening = LISTENING.matcher(Files.readString(log));
        if (listening.find()) {
          URI base = URI.create("https://127.0.0.1:" + listening.group(1));
          return new HttpsBase(base, Map.of(), Trust.PINNED);
        }
        Thread.sleep(LOOK_MILLIS);
      } catch (IOException e) {
        throw new ExtensionException(
            ErrorCode.CRASH, new Outcome.Created(handle), "no log of boxd", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    throw new ExtensionException(
        ErrorCode.TIMEOUT, new Outcome.Created(handle), "boxd does not listen", null);
  }

  @Override
  public Inspection inspect(SandboxHandle handle, Call call) throws ExtensionException {
    return sound.inspect(handle, call);
  }

  @Override
  public List<SandboxHandle> find(SandboxIdentity identity, Call call) throws ExtensionException {
    return sound.find(identity, call);
  }

  @Override
  public CleanupReport teardown(TeardownTarget target, Call call) throws ExtensionException {
    return sound.teardown(target, call);
  }

  @Override
  public InventoryPage inventory(InventoryQuery query, Call call) throws ExtensionException {
    return sound.inventory(query, call);
  }

  @Override
  public MeterQuote estimateCost(CostQuery query, Call call) throws ExtensionException {
    return sound.estimateCost(query, call);
  }

  @Override
  public void close() {
    sound.close();
  }
}
