package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.box.Box;
import dev.sandboxer.platform.box.BoxField;
import dev.sandboxer.platform.box.BoxRequest;
import dev.sandboxer.platform.box.BoxSpec;
import dev.sandboxer.platform.box.OnChange;
import dev.sandboxer.platform.profile.InputSpec;
import dev.sandboxer.platform.profile.ProfileRecipe;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.platform.sandbox.Consumer;
import dev.sandboxer.spi.Mount;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Turns the client's specs into requests for boxes. What cannot be had is refused, not dropped. */
@ApplicationScoped
class SessionRequests {

  private static final Consumer CONSUMER = new Consumer("agt", "langbot", null, null, Map.of());

  private final ProfileStore profiles;
  private final ArtefactManifests manifests;

  SessionRequests(ProfileStore profiles, ArtefactManifests manifests) {
    this.profiles = profiles;
    this.manifests = manifests;
  }

  /**
   * The request.
   *
   * @param before the box that the scope has or had
   */
  BoxRequest of(Client client, Placement placement, SessionSpec spec, Optional<Box> before) {
    ProfileRules rules = client.settings().rules();
    check(spec, rules);
    manifests.check(placement.workspace().tenantId(), spec);
    ProfileRecipe recipe =
        profiles
            .recipe(rules.profile())
            .orElseThrow(
                () -> BoxError.invalid("there is no profile '%s'".formatted(rules.profile())));
    BoxSpec made =
        new BoxSpec(
            rules.profile(),
            inputs(spec, rules, recipe),
            spec.mounts(),
            SessionLabels.of(spec),
            CONSUMER,
            Optional.empty(),
            Optional.empty(),
            spec.persistent());
    return new BoxRequest(
        placement.workspace().tenantId(),
        client.principal().keyId(),
        placement.scope(spec.sessionId()),
        made,
        Map.of(),
        named(spec, before),
        OnChange.CONFLICT);
  }

  private static void check(SessionSpec spec, ProfileRules rules) {
    if (!spec.readOnlyRoot()) {
      throw BoxError.invalid(
          "read_only_rootfs false cannot be had: the root file system of a sandbox is always read-only; write below /workspace and /tmp");
    }
    if (spec.quotaMb() > 0 && spec.mountsWorkspace()) {
      throw BoxError.invalid(
          "workspace_quota_mb cannot be had for a folder of the host: its own disk is what limits it");
    }
    if (rules.readOnlyMounts() && spec.mounts().stream().anyMatch(Mount::writable)) {
      throw BoxError.invalid(
          "profile '%s' mounts folders of the host read-only alone".formatted(rules.name()));
    }
  }

  /** Fewer mounts than the box has are no difference: what the request names is there. */
  private static Set<BoxField> named(SessionSpec spec, Optional<Box> before) {
    Set<BoxField> named =
        EnumSet.of(BoxField.PROFILE, BoxField.INPUTS, BoxField.LABELS, BoxField.PERSISTENT);
    boolean there =
        before
            .filter(Box::living)
            .filter(box -> new HashSet<>(box.spec().mounts()).containsAll(spec.mounts()))
            .isPresent();
    if (!there) {
      named.add(BoxField.MOUNTS);
    }
    return named;
  }

  private static Map<String, String> inputs(
      SessionSpec spec, ProfileRules rules, ProfileRecipe recipe) {
    Set<String> declared =
        recipe.inputs().stream().map(InputSpec::name).collect(Collectors.toSet());
    Inputs inputs = new Inputs(declared, new TreeMap<>());
    inputs.give("cpus", spec.cpus(), SessionSpec.DEFAULT_CPUS, false);
    inputs.give("memory_mb", spec.memoryMb(), SessionSpec.DEFAULT_MEMORY, false);
    inputs.give("pids_limit", spec.pidsLimit(), SessionSpec.DEFAULT_PIDS, false);
    inputs.give("workspace_quota_mb", spec.quotaMb(), 0L, true);
    inputs.give("image", spec.image(), SessionSpec.DEFAULT_IMAGE, true);
    if (declared.contains(SessionNetwork.INPUT)) {
      inputs.given().put(SessionNetwork.INPUT, SessionNetwork.input(spec.network()));
    } else if (spec.network() != SessionNetwork.has(recipe.profile())) {
      throw BoxError.invalid(
          "network '%s' cannot be had: profile '%s' %s a network and has no input 'network'"
              .formatted(
                  SessionNetwork.word(spec.network()),
                  rules.name(),
                  spec.network() ? "never has" : "always has"));
    }
    return inputs.given();
  }

  private record Inputs(Set<String> declared, Map<String, String> given) {

    /** A default of the client gives way to the profile where that sets the value itself. */
    void give(String name, Object value, Object byDefault, boolean defaultIsOwn) {
      if (value.equals(byDefault) && (defaultIsOwn || !declared.contains(name))) {
        return;
      }
      if (!declared.contains(name)) {
        throw BoxError.invalid(
            "%s=%s cannot be had: the profile has no input '%s'".formatted(name, value, name));
      }
      given.put(name, value.toString());
    }
  }
}
