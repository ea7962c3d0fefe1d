package dev.sandboxer.ext.e2b.life;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.ext.e2b.cloud.Access;
import dev.sandboxer.ext.e2b.cloud.Account;
import dev.sandboxer.ext.e2b.cloud.ControlPlane;
import dev.sandboxer.ext.e2b.cloud.Envd;
import dev.sandboxer.ext.e2b.cloud.Remote;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxIdentity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Makes a sandbox, or takes over the one of the same identity. It is made with a short life that
 * the platform moves once it has the handle: what is lost ends by itself, and costs minutes.
 */
final class Provisioning {

  /** Longer than a create and a placement take, and short enough to be paid for nothing. */
  static final Duration SHORT_LIFE = Duration.ofMinutes(2);

  /** How long a sandbox whose answer was lost is looked for at once; the platform goes on later. */
  private static final Duration LOOK = Duration.ofSeconds(10);

  /** Between two looks: E2B reports nothing by itself. */
  private static final Duration PAUSE = Duration.ofMillis(250);

  /** Each sandbox that has ended under an identity uses up a key. */
  private static final int MOST_KEYS = 32;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final ControlPlane cloud;
  private final Envd envd;
  private final Labels labels;
  private final Placement placement;

  Provisioning(ControlPlane cloud, Labels labels) {
    this.cloud = cloud;
    this.envd = cloud.envd();
    this.labels = labels;
    this.placement = new Placement(envd);
  }

  E2bHandle provision(Account account, ProvisionRequest request, Call call)
      throws ExtensionException {
    SandboxIdentity identity = request.identity();
    Path binary = Placement.binary(request.daemon());
    String template = Requests.template(account, request.spec());
    List<Remote> own;
    try {
      own = own(account, identity, call);
    } catch (ExtensionException e) {
      throw as(Outcome.NOTHING_CREATED, e);
    }
    Optional<E2bHandle> running = adopted(account, identity, own, call);
    if (running.isPresent()) {
      return running.get();
    }
    call.progress(Progress.of("create"));
    JsonNode body = body(template, request);
    for (int used = 0; used < MOST_KEYS; used++) {
      E2bHandle made =
          E2bHandle.of(identity, create(account, identity, body, key(identity, used), call));
      Optional<Remote> seen = seen(account, made, call);
      if (seen.isPresent()) {
        return placed(account, made, seen.get(), template, binary, request, call);
      }
      // The key was used before, and its sandbox has ended.
    }
    throw new ExtensionException(
        ErrorCode.INTERNAL,
        Outcome.UNKNOWN,
        "%d sandboxes of %s have ended before they were ready"
            .formatted(MOST_KEYS, identity.name()),
        null);
  }

  private static String key(SandboxIdentity identity, int used) {
    String key = identity.installation() + "-" + identity.name();
    return used == 0 ? key : key + "-" + used;
  }

  /** A key stands for this very text, so that a repeated create must be the same. */
  private JsonNode body(String template, ProvisionRequest request) {
    Map<String, Object> body = new TreeMap<>();
    body.put("templateID", template);
    body.put("metadata", labels.of(request.identity(), request.spec()));
    body.put("timeout", SHORT_LIFE.toSeconds());
    body.put("secure", true);
    body.put("autoPause", false);
    body.put("allow_internet_access", false);
    body.put(
        "network",
        new TreeMap<>(Map.of("allowPublicTraffic", false, "denyOut", List.of("0.0.0.0/0"))));
    return JSON.valueToTree(body);
  }

  /** Oldest first. */
  private List<Remote> own(Account account, SandboxIdentity identity, Call call)
      throws ExtensionException {
    List<Remote> own = new ArrayList<>();
    for (Remote remote : cloud.all(account, labels.searched(identity), call)) {
      if (labels.owner(remote).filter(identity::equals).isPresent()) {
        own.add(remote);
      }
    }
    own.sort(Comparator.comparing(Remote::startedAt));
    return own;
  }

  /** The oldest in which boxd runs; the others are ended. */
  private Optional<E2bHandle> adopted(
      Account account, SandboxIdentity identity, List<Remote> own, Call call)
      throws ExtensionException {
    Optional<E2bHandle> kept = Optional.empty();
    for (Remote remote : own) {
      try {
        if (kept.isEmpty() && !remote.paused()) {
          kept = withBoxd(account, identity, remote, call);
          if (kept.isPresent()) {
            continue;
          }
        }
        cloud.kill(account, remote.id(), call);
      } catch (ExtensionException e) {
        throw as(new Outcome.Created(E2bHandle.found(identity, remote.id()).toHandle()), e);
      }
    }
    return kept;
  }

  private Optional<E2bHandle> withBoxd(
      Account account, SandboxIdentity identity, Remote remote, Call call)
      throws ExtensionException {
    Optional<Access> access = cloud.connect(account, remote.id(), SHORT_LIFE, call);
    if (access.isEmpty()) {
      return Optional.empty();
    }
    try {
      return envd.lives(account, access.get(), Placement.TAG, call)
          ? Optional.of(E2bHandle.of(identity, access.get()))
          : Optional.empty();
    } catch (ExtensionException e) {
      if (e.code() == ErrorCode.TIMEOUT) {
        throw e;
      }
      return Optional.empty(); // one whose envd does not answer is of no use
    }
  }

  /** Where the answer is lost, the sandbox is looked for. */
  private Access create(
      Account account, SandboxIdentity identity, JsonNode body, String key, Call call)
      throws ExtensionException {
    try {
      return cloud.create(account, body, key, call);
    } catch (ExtensionException lost) {
      if (!(lost.outcome() instanceof Outcome.Unknown)) {
        throw lost;
      }
      return lookedFor(account, identity, lost, call);
    }
  }

  private Access lookedFor(
      Account account, SandboxIdentity identity, ExtensionException lost, Call call)
      throws ExtensionException {
    long end = System.nanoTime() + LOOK.toNanos();
    while (System.nanoTime() < end
        && !call.cancelled()
        && !Thread.currentThread().isInterrupted()) {
      try {
        for (Remote remote : own(account, identity, call)) {
          Optional<Access> access = cloud.connect(account, remote.id(), SHORT_LIFE, call);
          if (access.isPresent()) {
            return access.get();
          }
        }
        Thread.sleep(PAUSE);
      } catch (ExtensionException e) {
        lost.addSuppressed(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    throw lost;
  }

  private Optional<Remote> seen(Account account, E2bHandle made, Call call)
      throws ExtensionException {
    try {
      return cloud.get(account, made.id(), call);
    } catch (ExtensionException e) {
      throw as(new Outcome.Created(made.toHandle()), e);
    }
  }

  private E2bHandle placed(
      Account account,
      E2bHandle made,
      Remote seen,
      String template,
      Path binary,
      ProvisionRequest request,
      Call call)
      throws ExtensionException {
    try {
      Requests.checkSize(template, seen.size(), request.spec());
    } catch (ExtensionException e) {
      throw as(ended(account, made, call), e);
    }
    call.progress(Progress.of("boxd"));
    try {
      placement.place(
          account, made.access().orElseThrow(), binary, request.daemon(), request.spec(), call);
      return made;
    } catch (ExtensionException e) {
      throw as(new Outcome.Created(made.toHandle()), e);
    }
  }

  private Outcome ended(Account account, E2bHandle made, Call call) {
    try {
      cloud.kill(account, made.id(), call);
      return Outcome.NOTHING_CREATED;
    } catch (ExtensionException e) {
      return new Outcome.Created(made.toHandle());
    }
  }

  private static ExtensionException as(Outcome outcome, ExtensionException e) {
    return new ExtensionException(e.code(), outcome, String.valueOf(e.getMessage()), e);
  }
}
