package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.ProvisionRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** Finds out what is needed before a container is made. */
final class Plans {

  private final FolderRoots roots;
  private final Places places;
  private final CarriedBoxd carried;

  Plans(FolderRoots roots, Places places, CarriedBoxd carried) {
    this.roots = roots;
    this.places = places;
    this.carried = carried;
  }

  Plan of(Engine engine, EngineFacts facts, ProvisionRequest request, Image image, Call call)
      throws ExtensionException {
    int uid = Users.inside(request.uid().orElseThrow(), facts);
    Emulation.check(image, facts);
    BoxdFiles files =
        request.host().sameMachine()
            ? here(engine, request, image)
            : carried.on(engine, facts, boxd(request, image), call);
    return new Plan(facts, image, uid, files, Tmpfs.of(request.spec(), image, uid), Map.of());
  }

  private BoxdFiles.Here here(Engine engine, ProvisionRequest request, Image image)
      throws ExtensionException {
    Folders folders = roots.of(request.host());
    return new BoxdFiles.Here(
        places.binary(engine, boxd(request, image)).toString(),
        places.seen(engine, folders.config(request.identity())).toString(),
        places.seen(engine, folders.hosts(request.identity())).toString(),
        places.seen(engine, folders.shared(request.identity())).toString(),
        places.propagation());
  }

  private static Path boxd(ProvisionRequest request, Image image) throws ExtensionException {
    try {
      return request.daemon().binary(image.os(), image.architecture()).toRealPath();
    } catch (IllegalArgumentException | IOException e) {
      throw new ExtensionException(
          ErrorCode.UNSUPPORTED,
          Outcome.NOTHING_CREATED,
          "image %s is for %s/%s, and there is no boxd for that: %s"
              .formatted(image.name(), image.os(), image.architecture(), e.getMessage()),
          e);
    }
  }
}
