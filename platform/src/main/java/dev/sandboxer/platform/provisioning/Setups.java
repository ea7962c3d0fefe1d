package dev.sandboxer.platform.provisioning;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.google.common.util.concurrent.Striped;
import dev.sandboxer.platform.dataplane.BoxdClient.BoxdException;
import dev.sandboxer.platform.dataplane.BoxdFolders;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.platform.profile.Setup;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.setup.SetupLayers;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxHandle;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Has the setup of a profile run before the first sandbox that wants it, in an attempt of its own:
 * with the network and limits of the sandbox, and without its mounts. What the steps have made is
 * kept as a layer, which the next attempt has mounted.
 */
@ApplicationScoped
class Setups {

  private static final Logger LOG = Logger.getLogger(Setups.class);
  private static final int LOCKS = 1024; // few layers share one by chance

  private final Jdbi jdbi;
  private final ProfileStore profiles;
  private final Environments environments;
  private final Attempts attempts;
  private final ProgressEvents events;
  private final Backends backends;
  private final Establisher establisher;
  private final SetupSteps steps;
  private final SetupLayers layers;
  private final BoxdFolders boxd;
  private final Failpoints failpoints;
  private final ObjectMapper json;

  /** Of one layer, one attempt of this node runs the steps; the others wait for it. */
  private final Striped<Lock> turns = Striped.lock(LOCKS);

  /** What is found is noted as used before anything is removed. */
  private final Lock use = new ReentrantLock();

  Setups(
      Jdbi jdbi,
      ProfileStore profiles,
      Environments environments,
      Attempts attempts,
      ProgressEvents events,
      Backends backends,
      Establisher establisher,
      SetupSteps steps,
      SetupLayers layers,
      BoxdFolders boxd,
      Failpoints failpoints,
      ObjectMapper json) {
    this.jdbi = jdbi;
    this.profiles = profiles;
    this.environments = environments;
    this.attempts = attempts;
    this.events = events;
    this.backends = backends;
    this.establisher = establisher;
    this.steps = steps;
    this.layers = layers;
    this.boxd = boxd;
    this.failpoints = failpoints;
    this.json = json.copy().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);
  }

  /** What is to happen with an attempt. */
  sealed interface Next {

    /** It can be established, with its layer if the profile has a setup. */
    record Establish(Attempt attempt) implements Next {}

    /**
     * It was for the setup, and is over. Another one on the same place is to follow.
     *
     * @param layer what that one is to have, empty if it has to begin with the setup again
     */
    record Follow(Optional<String> layer) implements Next {}
  }

  /** Finds the attempt's layer; runs the steps first if this node does not have it. */
  Next prepare(Sandbox sandbox, Attempt attempt, Cancellation running)
      throws ExtensionException, ClaimLostException {
    if (attempt.makesLayer()) {
      return new Next.Follow(Optional.empty()); // an earlier run of its steps was cut off
    }
    String layer = attempt.layer();
    if (layer != null) {
      Path _ = find(layer).orElseThrow(() -> gone(layer));
      return new Next.Establish(attempt);
    }
    Setup setup = attempt.handle() == null ? setup(sandbox) : Setup.NONE;
    if (setup.steps().isEmpty()) {
      return new Next.Establish(attempt);
    }
    String key = key(sandbox, attempt, setup, running);
    Lock turn = turns.get(key);
    try (Cancellation.Interrupting _ = running.interrupting()) {
      turn.lockInterruptibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(ErrorCode.UNAVAILABLE, Outcome.NOTHING_CREATED, "it was interrupted", e);
    }
    try {
      return decide(sandbox, attempt, setup, key, running);
    } finally {
      turn.unlock();
    }
  }

  private Next decide(
      Sandbox sandbox, Attempt attempt, Setup setup, String key, Cancellation running)
      throws ExtensionException, ClaimLostException {
    Optional<Attempt> served = used(sandbox, attempt, key);
    if (served.isPresent()) {
      return new Next.Establish(served.get());
    }
    Attempt making = attempts.layer(sandbox, attempt, key, true);
    failpoints.reach("setup.begun");
    make(sandbox, making, setup, key, running);
    sweep();
    return new Next.Follow(Optional.of(key));
  }

  private Optional<Attempt> used(Sandbox sandbox, Attempt attempt, String key)
      throws ExtensionException, ClaimLostException {
    use.lock();
    try {
      return find(key).isEmpty()
          ? Optional.empty()
          : Optional.of(attempts.layer(sandbox, attempt, key, false));
    } finally {
      use.unlock();
    }
  }

  private void sweep() {
    use.lock();
    try {
      layers.sweep(jdbi.withHandle(attempts::layersInUse));
    } finally {
      use.unlock();
    }
  }

  private void make(Sandbox sandbox, Attempt attempt, Setup setup, String key, Cancellation running)
      throws ExtensionException, ClaimLostException {
    long start = System.nanoTime();
    @Nullable DataplaneAddress address =
        establisher.establish(sandbox, attempt, running).dataplane();
    Outcome left = left(attempt);
    if (address == null) {
      throw failed(
          ErrorCode.UNSUPPORTED, left, "it needs boxd, which this backend does not run", null);
    }
    Endpoint endpoint = new Endpoint(sandbox.id(), sandbox.generation(), Transport.of(address));
    try (Cancellation.Interrupting _ = running.interrupting()) {
      steps.run(sandbox, endpoint, setup, left);
      failpoints.reach("setup.run");
      long bytes =
          layers.<BoxdException>save(
              key, setup.sizeBytes(), tar -> boxd.fetch(endpoint, Setup.FOLDER, tar));
      failpoints.reach("setup.saved");
      done(sandbox, key, bytes, (System.nanoTime() - start) / 1_000_000);
    } catch (BoxdException e) {
      throw failed(ErrorCode.CRASH, left, String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      throw failed(
          ErrorCode.UNAVAILABLE, left, "what it made cannot be kept: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(ErrorCode.UNAVAILABLE, left, "it was interrupted", e);
    }
  }

  private void done(Sandbox sandbox, String key, long bytes, long millis) {
    LOG.infof(
        "setup done sandbox=%s layer=%s bytes=%d ms=%d", sandbox.publicId(), key, bytes, millis);
    events.publish(
        sandbox, "setup.done", Map.of("layer", key, "bytes", bytes, "duration_ms", millis));
  }

  private Outcome left(Attempt attempt) {
    return jdbi.withHandle(open -> attempts.find(open, attempt.id()))
        .map(Attempt::handle)
        .<Outcome>map((SandboxHandle handle) -> new Outcome.Created(handle))
        .orElse(Outcome.UNKNOWN);
  }

  private Setup setup(Sandbox sandbox) throws ExtensionException {
    return profiles
        .setup(sandbox.profile())
        .orElseThrow(
            () ->
                failed(
                    ErrorCode.UNAVAILABLE,
                    Outcome.NOTHING_CREATED,
                    "this node cannot read %s, of another release".formatted(sandbox.profile()),
                    null));
  }

  private Optional<Path> find(String key) throws ExtensionException {
    try {
      return layers.find(key);
    } catch (IOException e) {
      throw failed(
          ErrorCode.UNAVAILABLE,
          Outcome.UNKNOWN,
          "the layers of this node cannot be read: " + e,
          e);
    }
  }

  /** A digest of everything that the steps can see. */
  private String key(Sandbox sandbox, Attempt attempt, Setup setup, Cancellation running)
      throws ExtensionException {
    Map<String, Object> made = new TreeMap<>();
    made.put("tenant", String.valueOf(sandbox.tenantId()));
    made.put("profile", sandbox.profile().toString());
    made.put("extension", attempt.extension().text());
    made.put("root", backends.rootDigest(sandbox, attempt, running));
    made.put("steps", setup.steps());
    made.put("environment", environments.ofSetup(sandbox, setup));
    made.put(
        "folders",
        sandbox.spec().mounts().stream()
            .filter(MountedFolders::pinned)
            .map(Mount::toString)
            .toList());
    try {
      byte[] text = json.writeValueAsString(made).getBytes(UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text), 0, 20);
    } catch (JsonProcessingException | NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ExtensionException gone(String layer) {
    return failed(
        ErrorCode.UNAVAILABLE,
        Outcome.UNKNOWN,
        "this node does not have layer " + layer + ": recreate the sandbox, which makes it again",
        null);
  }

  static ExtensionException failed(
      ErrorCode code, Outcome left, String message, @Nullable Exception cause) {
    return new ExtensionException(code, left, "setup: " + message, cause);
  }
}
