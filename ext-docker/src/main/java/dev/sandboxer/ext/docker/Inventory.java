package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.model.Container;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import dev.sandboxer.spi.SandboxIdentity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Lists this installation's containers, and folders whose container is gone. A folder whose name a
 * stranger's container has is not listed: nobody but the stranger's owner can say what it is for.
 */
final class Inventory {

  private final ExtensionContext context;
  private final Engines engines;
  private final Labels labels;
  private final Containers containers;
  private final FolderRoots roots;

  Inventory(
      ExtensionContext context,
      Engines engines,
      Labels labels,
      Containers containers,
      FolderRoots roots) {
    this.context = context;
    this.engines = engines;
    this.labels = labels;
    this.containers = containers;
    this.roots = roots;
  }

  InventoryPage list(Call call) throws ExtensionException {
    Map<String, InventoryObject> objects = new TreeMap<>();
    Folders folders = roots.of(call.host());
    try (Engine engine = engines.within(call)) {
      // Folders first: one whose container is made meanwhile is then never taken for a lone one.
      List<String> names = call.host().sameMachine() ? folders.names() : new ArrayList<>();
      for (Container container : listed(engine)) {
        object(container).ifPresent(object -> objects.put(object.identity().name(), object));
      }
      names.removeAll(objects.keySet());
      for (String name : names) {
        Optional<SandboxIdentity> identity = Labels.parse(context.installation(), name);
        if (identity.isPresent() && containers.named(engine, identity.get()).isEmpty()) {
          objects.put(name, lone(folders, identity.get()));
        }
      }
    }
    // Engines that share a key.json have one id.
    String scope = engines.facts(call).id() + " at " + engines.route(call.host()).name();
    return new InventoryPage(scope, true, List.copyOf(objects.values()), null);
  }

  private List<Container> listed(Engine engine) throws ExtensionException {
    return engine.ask(
        "list containers",
        docker ->
            docker
                .listContainersCmd()
                .withShowAll(true)
                .withLabelFilter(Map.of(Labels.INSTALLATION, context.installation()))
                .exec());
  }

  private Optional<InventoryObject> object(Container container) {
    String name = container.getNames() == null ? "" : container.getNames()[0];
    return labels
        .identity(name, container.getLabels())
        .map(
            identity ->
                new InventoryObject(
                    identity,
                    container.getId(),
                    Instant.ofEpochSecond(container.getCreated()),
                    new DockerHandle(identity, container.getId(), Set.of()).toHandle()));
  }

  private static InventoryObject lone(Folders folders, SandboxIdentity identity) {
    return new InventoryObject(
        identity,
        "folder:" + identity.name(),
        folders.madeAt(identity),
        new DockerHandle(identity, "", Set.of()).toHandle());
  }
}
