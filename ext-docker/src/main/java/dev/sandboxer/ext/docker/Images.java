package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.PullResponseItem;
import dev.sandboxer.ext.docker.wire.EngineUnreachableException;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Progress;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds images on the Engine, and has it fetch those that it lacks. */
final class Images {

  private static final String STEP = "image_pull";

  private final DockerConfig config;

  Images(DockerConfig config) {
    this.config = config;
  }

  /** The image of a profile, fetched first where the policy says so. */
  Image resolve(Engine engine, String text, Call call) throws ExtensionException {
    ImageName name = ImageName.of(text);
    config.images().check(name);
    if (config.pull() != DockerConfig.Pull.ALWAYS) {
      Optional<Image> here = find(engine, name);
      if (here.isPresent()) {
        return here.get();
      }
    }
    if (config.pull() == DockerConfig.Pull.NEVER) {
      throw missing(
          name, "the Engine does not have it, and config.pull of ext.docker is never", null);
    }
    pull(engine, name, call);
    return find(engine, name)
        .orElseThrow(() -> missing(name, "it was fetched and is gone again", null));
  }

  private static Optional<Image> find(Engine engine, ImageName name) throws ExtensionException {
    Optional<InspectImageResponse> found =
        engine.find(
            "look at image " + name.text(), docker -> docker.inspectImageCmd(name.text()).exec());
    return found.isPresent() ? Optional.of(Image.of(name, found.get())) : Optional.empty();
  }

  private void pull(Engine engine, ImageName name, Call call) throws ExtensionException {
    call.progress(new Progress(STEP, Map.of("image", name.text(), "status", "started")));
    Pulling pulling = new Pulling(name, call);
    call.onCancel(pulling::cancel);
    engine.ask(
        "fetch image " + name.text(),
        docker -> {
          try {
            docker
                .pullImageCmd(name.repository())
                .withTag(name.reference())
                .exec(pulling)
                .awaitCompletion();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineUnreachableException(
                EngineUnreachableException.Kind.CUT, true, "the call was cancelled", e);
          } catch (NotFoundException e) {
            throw missing(name, Refusals.said(e), e);
          } catch (DockerException e) {
            throw refused(engine, name, e);
          }
          pulling.check();
          return true;
        });
    call.progress(new Progress(STEP, Map.of("image", name.text(), "status", "done")));
  }

  private static ExtensionException refused(Engine engine, ImageName name, DockerException e) {
    String said = Refusals.said(e);
    return Refusals.outOfDisk(said.toLowerCase(Locale.ROOT))
        ? Refusals.of("fetch image " + name.text(), engine.socket(), e)
        : missing(name, said, e);
  }

  private static ExtensionException missing(ImageName name, String why, @Nullable Exception cause) {
    return new ExtensionException(
        ErrorCode.IMAGE_PULL,
        Outcome.NOTHING_CREATED,
        "image %s could not be fetched: %s; check the profile's image, or bring it to the Engine by docker pull %s"
            .formatted(name.text(), why, name.text()),
        cause);
  }

  /** Follows a pull. The Engine reports a failure in the middle of a successful answer. */
  private static final class Pulling extends ResultCallback.Adapter<PullResponseItem> {

    private final ImageName name;
    private final Call call;
    private volatile String error = "";

    Pulling(ImageName name, Call call) {
      this.name = name;
      this.call = call;
    }

    @Override
    public void onNext(PullResponseItem item) {
      if (item.getErrorDetail() != null) {
        error = String.valueOf(item.getErrorDetail().getMessage());
      } else if (item.getStatus() != null) {
        call.progress(
            new Progress(
                STEP,
                Map.of(
                    "image",
                    name.text(),
                    "layer",
                    String.valueOf(item.getId()),
                    "status",
                    item.getStatus())));
      }
    }

    void cancel() {
      try {
        close();
      } catch (java.io.IOException e) {
        // The connection is cut as well.
      }
    }

    void check() throws ExtensionException {
      if (error.isEmpty()) {
        return;
      }
      if (Refusals.outOfDisk(error.toLowerCase(Locale.ROOT))) {
        throw new ExtensionException(
            ErrorCode.CAPACITY,
            "image %s could not be fetched: %s; free space where Docker keeps its data, such as by docker image prune"
                .formatted(name.text(), error));
      }
      throw missing(name, error, null);
    }
  }
}
