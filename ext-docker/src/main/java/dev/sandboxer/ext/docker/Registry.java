package dev.sandboxer.ext.docker;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.command.PullImageCmd;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.AuthConfig;
import com.github.dockerjava.api.model.PullResponseItem;
import com.github.dockerjava.transport.DockerHttpClient.Response;
import dev.sandboxer.ext.docker.wire.EngineUnreachableException;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.image.ImageName;
import dev.sandboxer.spi.image.RegistryLogin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the Engine asks the registry of one image for, with the profile's login of that registry.
 */
record Registry(Engine engine, ImageName image, Optional<RegistryLogin> login) {

  private static final String STEP = "image_pull";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int OK = 200;

  /** Has the image fetched. */
  void pull(Call call) throws ExtensionException {
    call.progress(new Progress(STEP, Map.of("image", image.text(), "status", "started")));
    Pulling pulling = new Pulling(image, call);
    call.onCancel(pulling::cancel);
    boolean _ =
        engine.ask(
            "fetch image " + image.text(),
            docker -> {
              try {
                withLogin(docker.pullImageCmd(image.repository()).withTag(image.reference()))
                    .exec(pulling)
                    .awaitCompletion();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new EngineUnreachableException(
                    EngineUnreachableException.Kind.CUT, true, "the call was cancelled", e);
              } catch (DockerException e) {
                throw refused(Refusals.said(e), e);
              }
              if (!pulling.error.isEmpty()) {
                throw refused(pulling.error, null);
              }
              return true;
            });
    call.progress(new Progress(STEP, Map.of("image", image.text(), "status", "done")));
  }

  private PullImageCmd withLogin(PullImageCmd pull) {
    return login.isEmpty() ? pull : pull.withAuthConfig(new HiddenLogin(login.get()));
  }

  /** Has the image's manifest looked at, without fetching anything. */
  void checkReadable() throws ExtensionException {
    String header = login.isEmpty() ? "" : header(new HiddenLogin(login.get()));
    String refusal =
        engine.ask(
            "ask for image " + image.text(),
            _ -> {
              try (Response answer =
                  engine.send(
                      "GET",
                      "/distribution/" + image.full() + "/json",
                      header.isEmpty() ? Map.of() : Map.of("X-Registry-Auth", header),
                      null)) {
                String text = new String(answer.getBody().readAllBytes(), UTF_8);
                return answer.getStatusCode() == OK ? "" : Refusals.said(text);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    if (!refusal.isEmpty()) {
      throw failure(
          "the Engine has it, and the registry does not give it to this profile: " + refusal, null);
    }
  }

  private static String header(AuthConfig login) {
    try {
      return Base64.getUrlEncoder().encodeToString(JSON.writeValueAsBytes(login));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a login without JSON", e);
    }
  }

  private ExtensionException refused(String said, @Nullable DockerException cause) {
    if (Refusals.outOfDisk(said.toLowerCase(Locale.ROOT))) {
      return new ExtensionException(
          ErrorCode.CAPACITY,
          "image %s could not be fetched: %s; free space where Docker keeps its data, such as by docker image prune"
              .formatted(image.text(), said));
    }
    return failure(said, cause);
  }

  /** Why there is no image, and what to do. */
  ExtensionException failure(String why, @Nullable DockerException cause) {
    return new ExtensionException(
        ErrorCode.IMAGE_PULL,
        Outcome.NOTHING_CREATED,
        "image %s could not be fetched: %s; %s"
            .formatted(image.text(), hidden(why), advice(why.toLowerCase(Locale.ROOT))),
        login.isEmpty() ? cause : null); // its message is not ours to clean
  }

  private String advice(String said) {
    if (!Refusals.wantsLogin(said)) {
      return "check the profile's image, or bring it to the Engine by docker pull " + image.text();
    }
    return login
        .map(
            known ->
                "%s refuses '%s', or it may not read this image: correct the username, or the secret, that secret_refs of the profile have for %s"
                    .formatted(known.registry(), known.username(), known.registry()))
        .orElseGet(
            () ->
                "if it is private, add a login of %s to secret_refs of the profile, with use: provision"
                    .formatted(image.registry()));
  }

  /** A registry may send back what it was sent. */
  private String hidden(String text) {
    String clean = text;
    if (login.isPresent()) {
      String pair = login.get().username() + ":" + login.get().password();
      clean =
          clean
              .replace(Base64.getEncoder().encodeToString(pair.getBytes(UTF_8)), "…")
              .replace(login.get().password(), "…");
    }
    return clean;
  }

  /** As the Engine takes it; its text, which docker-java may log, hides the password. */
  private static final class HiddenLogin extends AuthConfig {

    private static final long serialVersionUID = 1;
    private static final String DOCKER_HUB = "https://index.docker.io/v1/";

    HiddenLogin(RegistryLogin login) {
      var _ =
          withRegistryAddress(
                  login.registry().equals(ImageName.DOCKER_HUB) ? DOCKER_HUB : login.registry())
              .withUsername(login.username())
              .withPassword(login.password());
    }

    @Override
    public String toString() {
      return "login of " + getRegistryAddress();
    }
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
      } catch (IOException e) {
        // The connection is cut as well.
      }
    }
  }
}
