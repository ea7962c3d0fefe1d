package dev.sandboxer.bench.backend;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.CostQuery;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.MeterQuote;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers at once that all is done, and lists what a file names. */
final class NothingExtension implements SandboxExtension {

  static final String LISTED = "listed";
  static final String FULL = "nothing-is-full";

  private static final int PAGE = 1_000;

  private final ExtensionContext context;

  NothingExtension(ExtensionContext context) {
    this.context = context;
  }

  @Override
  public SandboxHandle provision(ProvisionRequest request, Call call) throws ExtensionException {
    if (request.spec().labels().containsKey(FULL)) {
      throw new ExtensionException(ErrorCode.CAPACITY, "no room, as the profile asks");
    }
    return SandboxHandle.of(1, request.identity().name());
  }

  @Override
  public Reachability waitReady(SandboxHandle handle, Call call) {
    return Reachability.withoutDataplane(handle.data());
  }

  @Override
  public Inspection inspect(SandboxHandle handle, Call call) {
    return new Inspection.Running();
  }

  @Override
  public List<SandboxHandle> find(SandboxIdentity identity, Call call) {
    return List.of();
  }

  @Override
  public CleanupReport teardown(TeardownTarget target, Call call) {
    return CleanupReport.NOTHING;
  }

  @Override
  public InventoryPage inventory(InventoryQuery query, Call call) {
    try {
      Path file = context.stateFolder().resolve(LISTED);
      return Files.exists(file) ? page(file, query.cursor()) : page(List.of(), Instant.EPOCH, 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private InventoryPage page(Path file, @Nullable String cursor) throws IOException {
    Instant created = Files.getLastModifiedTime(file).toInstant();
    return page(Files.readAllLines(file), created, cursor == null ? 0 : Integer.parseInt(cursor));
  }

  private InventoryPage page(List<String> names, Instant created, int from) {
    int to = Math.min(from + PAGE, names.size());
    boolean last = to == names.size();
    List<InventoryObject> objects =
        names.subList(from, to).stream().map(name -> object(name, created)).toList();
    return new InventoryPage("nothing", last, objects, last ? null : Integer.toString(to));
  }

  private InventoryObject object(String name, Instant created) {
    List<String> parts = List.of(name.split("-", -1));
    SandboxIdentity identity =
        new SandboxIdentity(
            context.installation(),
            parts.get(0),
            Integer.parseInt(parts.get(1)),
            Integer.parseInt(parts.get(2)));
    return new InventoryObject(identity, name, created, SandboxHandle.of(1, name));
  }

  @Override
  public MeterQuote estimateCost(CostQuery query, Call call) {
    return MeterQuote.free();
  }

  @Override
  public void close() {}
}
