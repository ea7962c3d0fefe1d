package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.image.ImageName;
import dev.sandboxer.spi.image.ImagePolicy;
import dev.sandboxer.spi.image.RegistryLogin;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/** Finds the root file systems of images, and has those fetched that are not here. */
final class Images {

  private static final System.Logger LOG = System.getLogger(Images.class.getName());
  private static final Duration BETWEEN_SWEEPS = Duration.ofHours(1);

  private final ImageConfig config;
  private final ImageStore store;
  private final Path program;
  private final ExtensionContext context;
  private final Map<Wanted, ImageFetch> running = new ConcurrentHashMap<>();
  private final AtomicReference<Instant> swept = new AtomicReference<>(Instant.MIN);

  Images(ImageConfig config, Path program, ExtensionContext context) {
    this.config = config;
    this.program = program;
    this.context = context;
    this.store = new ImageStore(context.stateFolder().resolve("images"), context.clock());
  }

  /** The folder of a profile's image, fetched first where the policy says so. */
  Path resolve(String text, ProvisionRequest request, Call call) throws ExtensionException {
    ImageName name = config.policy().allowed(text, "ext.nsjail");
    Optional<LocalImage> local =
        LocalImage.names(name)
            ? Optional.of(LocalImage.find(name, config.folder()))
            : Optional.empty();
    Optional<RegistryLogin> login = request.loginFor(name);
    String key = name.full() + local.map(LocalImage::stamp).orElse("");
    if (local.isPresent() || mayTake(name, login)) {
      Optional<Path> here = store.find(key);
      if (here.isPresent()) {
        return here.get();
      }
    }
    if (local.isEmpty() && config.policy().pull() == ImagePolicy.Pull.NEVER) {
      throw new ExtensionException(
          ErrorCode.IMAGE_PULL,
          Outcome.NOTHING_CREATED,
          "image %s is not here, and config.pull of ext.nsjail is never".formatted(name.text()),
          null);
    }
    if (login.isPresent()) {
      store.markPrivate(name.repository());
    }
    Path place = fetched(new Wanted(name, key, local, login), call);
    sweep();
    return place;
  }

  /**
   * Whether what is here may be taken without asking the registry. A digest never changes. For an
   * image that took a login, the registry is asked again.
   */
  private boolean mayTake(ImageName name, Optional<RegistryLogin> login) {
    return switch (config.policy().pull()) {
      case NEVER -> true;
      case MISSING -> login.isEmpty() && !store.isPrivate(name.repository());
      case ALWAYS ->
          !name.digest().isEmpty() && login.isEmpty() && !store.isPrivate(name.repository());
    };
  }

  /**
   * An image that is to be brought here.
   *
   * @param key what its name is noted under
   * @param login shared only with those who have the same
   */
  private record Wanted(
      ImageName name, String key, Optional<LocalImage> local, Optional<RegistryLogin> login) {}

  private Path fetched(Wanted wanted, Call call) throws ExtensionException {
    ImageFetch fetch =
        running.compute(
            wanted,
            (_, before) ->
                before != null && before.join(call)
                    ? before
                    : new ImageFetch(
                        wanted.name().text(),
                        call,
                        () -> ImageProgram.start(program, "fetch", description(wanted))));
    fetch.begin(() -> running.remove(wanted, fetch));
    return fetch.await(call);
  }

  private Map<String, Object> description(Wanted wanted) {
    Map<String, Object> request = new TreeMap<>();
    request.put("store", store.folder().toString());
    request.put("image", wanted.name().full());
    request.put("key", wanted.key());
    request.put("place", wanted.local().map(image -> image.place().toString()).orElse(""));
    request.put("tag", wanted.local().map(LocalImage::tag).orElse(""));
    request.put("architecture", Architecture.ofHost());
    request.put("limits", Map.of("bytes", config.maxBytes(), "files", config.maxFiles()));
    wanted
        .login()
        .ifPresent(
            login ->
                request.put(
                    "login", Map.of("username", login.username(), "password", login.password())));
    return request;
  }

  /** Sweeps where that was not done for an hour. */
  void sweepAtTimes() {
    Instant now = context.clock().instant();
    Instant last = swept.get();
    if (store.exists()
        && last.isBefore(now.minus(BETWEEN_SWEEPS))
        && swept.compareAndSet(last, now)) {
      sweep();
    }
  }

  /** Removes what was cut off, is old or is too much, in the background. */
  private void sweep() {
    Map<String, Object> request =
        Map.of(
            "store", store.folder().toString(),
            "run", context.runFolder().toString(),
            "most_bytes", config.storeBytes(),
            "unused_seconds", config.unused().toSeconds());
    Thread.ofVirtual()
        .name("images sweep")
        .start(
            () -> {
              try {
                String removed =
                    ImageProgram.start(program, "sweep", request).run(_ -> {}).get("removed");
                if (!removed.isEmpty()) {
                  LOG.log(System.Logger.Level.INFO, "images removed: {0}", removed);
                }
              } catch (ExtensionException e) {
                LOG.log(System.Logger.Level.WARNING, "images could not be swept", e);
              }
            });
  }

  String summary() {
    return store.summary() + " of at most " + (config.storeBytes() >> 20) + " MiB";
  }
}
