package dev.sandboxer.platform.api.session;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.IgnoredFields;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.idempotency.IdempotencyKey;
import dev.sandboxer.platform.session.Actor;
import dev.sandboxer.platform.session.Mode;
import dev.sandboxer.platform.session.OnBehalfOf;
import dev.sandboxer.platform.session.ProtocolDialect;
import dev.sandboxer.platform.session.RequestedSession;
import dev.sandboxer.platform.session.Scope;
import dev.sandboxer.platform.session.ScopeType;
import dev.sandboxer.platform.token.Capability;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The body of {@code POST /v1/sandbox/sessions}, in either of its two shapes, checked. */
final class SessionRequest {

  static final Map<String, Object> EXAMPLE = Map.of("thread_id", "thr_123", "mode", "ensure");

  static final Pattern ID = Pattern.compile("[^\\p{Cntrl}]{1,256}");
  static final String ID_WANTED = "1 to 256 characters without control characters";
  private static final Pattern MODE = Pattern.compile("get|ensure|attach_only|create_only");
  private static final Pattern TYPE =
      Pattern.compile("thread|workspace|assistant|deployment|user|run");
  private static final Pattern ACTOR = Pattern.compile("human|agent");
  private static final Pattern CAPABILITY = Pattern.compile("[\\x21-\\x7e]{1,64}");
  private static final Pattern PROFILE =
      Pattern.compile("(profile\\.)?[a-z0-9][a-z0-9-]{0,62}(@[1-9][0-9]{0,8})?");
  private static final Pattern PROVIDER = Pattern.compile("auto|ext\\.[a-z0-9][a-z0-9-]{0,62}");
  private static final Pattern INPUT = Pattern.compile("[A-Za-z0-9_.-]{1,63}");
  private static final int MAX_INPUTS = 64;
  private static final int MAX_INPUT = 32 * 1024;
  private static final int MAX_CAPABILITIES = 16;

  private final Body body;
  private final IgnoredFields ignored = new IgnoredFields();

  SessionRequest(Body body) {
    this.body =
        ignored.of(
            body,
            "thread_id",
            "scope",
            "mode",
            "actor",
            "user_id",
            "requested_capabilities",
            "sandbox_hint",
            "provider_preference",
            "profile",
            "inputs",
            "consumer");
  }

  RequestedSession requested(Principal principal, @Nullable IdempotencyKey key, Duration wait) {
    Scope scope = scope();
    boolean thread = scope.type() == ScopeType.THREAD;
    boolean run = scope.type() == ScopeType.RUN;
    Mode mode = mode();
    Optional<Actor> actor = actor();
    return new RequestedSession(
        OnBehalfOf.of(principal, actor, body.optionalText("user_id", ID, ID_WANTED)),
        body.has("scope") ? ProtocolDialect.FULL : ProtocolDialect.SHORT,
        scope,
        thread ? scope.id() : null,
        run ? scope.id() : null,
        mode,
        capabilities(),
        body.optionalText("profile", PROFILE, "a profile's name, optionally with @version"),
        inputs(),
        hint(),
        body.optionalText(
                "provider_preference", PROVIDER, "auto, or an extension such as ext.nsjail")
            .filter(provider -> !provider.equals("auto")),
        SessionConsumer.read(body, actor, ignored),
        mode == Mode.ATTACH_ONLY ? null : key,
        wait,
        ignored.warnings());
  }

  private Scope scope() {
    if (!body.has("scope")) {
      return new Scope(ScopeType.THREAD, body.text("thread_id", ID, ID_WANTED));
    }
    if (body.has("thread_id")) {
      throw body.invalid("send either 'thread_id' or 'scope', not both");
    }
    Body scope = ignored.of(body.object("scope"), "type", "id");
    String type = scope.text("type", TYPE, "thread, workspace, assistant, deployment, user or run");
    return new Scope(
        ScopeType.valueOf(type.toUpperCase(Locale.ROOT)), scope.text("id", ID, ID_WANTED));
  }

  private Mode mode() {
    return switch (body.text("mode", MODE, "get, ensure, attach_only or create_only")) {
      case "ensure" -> Mode.ENSURE;
      case "create_only" -> Mode.CREATE_ONLY;
      default -> Mode.ATTACH_ONLY;
    };
  }

  private Optional<Map<String, String>> inputs() {
    if (!body.has("inputs")) {
      return Optional.empty();
    }
    return Optional.of(body.scalars("inputs", INPUT, "an input's name", MAX_INPUTS, MAX_INPUT));
  }

  private Optional<Actor> actor() {
    return actor(body, ignored);
  }

  /** Who acts, as the member {@code actor} of a request says. */
  static Optional<Actor> actor(Body body, IgnoredFields ignored) {
    return body.optionalObject("actor").map(actor -> actorOf(ignored.of(actor, "type", "id")));
  }

  private static Actor actorOf(Body actor) {
    String type = actor.text("type", ACTOR, "human or agent");
    return new Actor(
        Actor.Type.valueOf(type.toUpperCase(Locale.ROOT)), actor.text("id", ID, ID_WANTED));
  }

  private Optional<Set<Capability>> capabilities() {
    return body.optionalList(
            "requested_capabilities", CAPABILITY, "names of capabilities", MAX_CAPABILITIES)
        .map(this::capabilities);
  }

  private Set<Capability> capabilities(List<String> names) {
    Set<Capability> all = EnumSet.noneOf(Capability.class);
    for (String name : names) {
      Capability.of(name).ifPresentOrElse(all::add, () -> ignored.capability(name));
    }
    return all;
  }

  /** A hint that names nothing is ignored like one that names nothing of the caller's. */
  private Optional<String> hint() {
    return body.optionalText("sandbox_hint", ID, ID_WANTED)
        .map(text -> SandboxId.parse(text).map(SandboxId::raw).orElse(text));
  }
}
