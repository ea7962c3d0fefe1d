package dev.sandboxer.platform.api.session;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The bodies of the session door as the OpenAPI document shows them. */
final class SessionBodies {

  private SessionBodies() {}

  /** Both shapes of a negotiation. */
  @Schema(name = "NegotiateSession", requiredProperties = "mode")
  record Negotiate(
      @Schema(description = "short shape: the thread; not with scope", examples = "thr_123")
          Optional<String> threadId,
      @Schema(description = "full shape: what is bound; not with thread_id")
          Optional<SessionReply.ScopePart> scope,
      @Schema(
              description = "get is attach_only",
              enumeration = {"get", "ensure", "attach_only", "create_only"})
          String mode,
      @Schema(description = "who acts; only keys with role delegate may name others")
          Optional<ActorPart> actor,
      @Schema(description = "on whose behalf; only keys with role delegate may name others")
          Optional<String> userId,
      @Schema(description = "all that are allowed if left out")
          Optional<List<String>> requestedCapabilities,
      @Schema(description = "an own, live, unbound sandbox; ignored with a warning otherwise")
          Optional<String> sandboxHint,
      @Schema(description = "auto, or an extension's id", examples = "auto")
          Optional<String> providerPreference,
      @Schema(description = "of a new sandbox; the scope type's if left out", examples = "local")
          Optional<String> profile,
      @Schema(description = "of the profile: texts, numbers, true or false")
          Optional<Map<String, Object>> inputs,
      @Schema(description = "for what the sandbox is; its events carry it to a State Hub")
          Optional<ConsumerPart> consumer) {}

  /** For what a sandbox is. */
  @Schema(name = "SessionConsumer")
  record ConsumerPart(
      @Schema(
              description = "adm: a person, agt: an agent, atm: an automation; follows the actor",
              enumeration = {"adm", "agt", "atm"})
          Optional<String> actor,
      @Schema(description = "the actor's id if left out", examples = "usr_1")
          Optional<String> actorId,
      @Schema(description = "'sessions' if left out", examples = "demo") Optional<String> project,
      Optional<String> topicId,
      Optional<String> workstreamId,
      Optional<String> taskId,
      Optional<String> decisionId) {}

  /** Who acts. */
  @Schema(
      name = "Actor",
      requiredProperties = {"type", "id"})
  record ActorPart(@Schema(enumeration = {"human", "agent"}) String type, String id) {}

  /** For whom a token is renewed. */
  @Schema(name = "RefreshSession")
  record Refresh(Optional<ActorPart> actor, Optional<String> userId) {}
}
