package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.dataplane.PrivateFile;
import dev.sandboxer.platform.egress.EgressSecret;
import dev.sandboxer.platform.installation.KeyDerivation;
import dev.sandboxer.platform.order.OrderedSecrets;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.profile.Profile;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.secret.SecretRef;
import dev.sandboxer.platform.secret.SecretRef.Use;
import dev.sandboxer.platform.secret.Secrets;
import dev.sandboxer.spi.image.RegistryLogin;
import dev.sandboxer.spi.secret.SecretException;
import dev.sandboxer.spi.secret.SecretFile;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What a sandbox gets of its profile's secrets. Read again for each generation, stored nowhere. */
@ApplicationScoped
class SandboxSecrets {

  private final ProfileStore profiles;
  private final Secrets secrets;
  private final KeyDerivation derivation;

  SandboxSecrets(ProfileStore profiles, Secrets secrets, KeyDerivation derivation) {
    this.profiles = profiles;
    this.secrets = secrets;
    this.derivation = derivation;
  }

  /**
   * The secrets of the profile's version, which never changes. A node of another release may be
   * unable to read a version: then nobody says that the sandbox has no secrets.
   */
  private List<SecretRef> refs(Sandbox sandbox) throws SecretException {
    return profiles
        .secretRefs(sandbox.profile())
        .orElseThrow(
            () ->
                SecretException.missing(
                    "this node cannot read %s, of another release, and does not know its secrets"
                        .formatted(sandbox.profile())));
  }

  /**
   * Looks whether the secrets of a next generation can be had. Not to be called in a transaction.
   *
   * @throws ProblemException VALIDATION or UNAVAILABLE if one cannot
   */
  void check(Sandbox sandbox) {
    try {
      secrets.check(String.valueOf(sandbox.tenantId()), refs(sandbox));
    } catch (SecretException e) {
      throw OrderedSecrets.refused(sandbox.profile(), e);
    }
  }

  /**
   * Adds secrets, and what stands for those that stay outside, to an environment. The steps of a
   * setup get no values: what they make is kept.
   */
  Map<String, String> environment(Sandbox sandbox, Attempt attempt, Map<String, String> own)
      throws SecretException {
    Map<String, String> all = new LinkedHashMap<>(own);
    for (SecretRef ref : refs(sandbox)) {
      switch (ref.use()) {
        case Use.Env() -> {
          if (!attempt.makesLayer()) {
            all.put(ref.name(), secrets.text(sandbox.tenantId(), ref));
          }
        }
        case Use.Placeholder _ -> all.put(ref.name(), placeholder(sandbox, ref));
        case Use.InFile(), Use.Header _, Use.Login _ -> {}
      }
    }
    return all;
  }

  /** The same after a restart of the platform, and another in each sandbox. */
  private String placeholder(Sandbox sandbox, SecretRef ref) {
    byte[] derived =
        derivation.derive(
            String.join("\n", "secret-placeholder/v1", sandbox.id().raw(), ref.name()));
    return "sandboxer-secret-" + HexFormat.of().formatHex(derived, 0, 16);
  }

  /** Secrets that the egress proxy adds to requests. */
  List<EgressSecret> egress(Sandbox sandbox) throws SecretException {
    List<EgressSecret> found = new ArrayList<>();
    for (SecretRef ref : refs(sandbox)) {
      EgressSecret.Source source = () -> value(sandbox, ref);
      switch (ref.use()) {
        case Use.Header header ->
            found.add(
                new EgressSecret(
                    header.hosts(),
                    new EgressSecret.Kind.Header(header.header(), header.before(), header.after()),
                    source));
        case Use.Placeholder placeholder ->
            found.add(
                new EgressSecret(
                    placeholder.hosts(),
                    new EgressSecret.Kind.Placeholder(placeholder(sandbox, ref)),
                    source));
        case Use.Env(), Use.InFile(), Use.Login _ -> {}
      }
    }
    return found;
  }

  /** On a thread of its own: a store may be slow. */
  private CompletionStage<String> value(Sandbox sandbox, SecretRef ref) {
    CompletableFuture<String> value = new CompletableFuture<>();
    var _ =
        Thread.ofVirtual()
            .name("secret-" + ref.name())
            .start(
                () -> {
                  try {
                    value.complete(secrets.text(sandbox.tenantId(), ref));
                  } catch (SecretException e) {
                    value.completeExceptionally(
                        new EgressSecret.UnavailableException(String.valueOf(e.getMessage())));
                  } catch (RuntimeException e) {
                    value.completeExceptionally(e);
                  }
                });
    return value;
  }

  /** Logins with which the backend fetches the image. */
  List<RegistryLogin> logins(Sandbox sandbox) throws SecretException {
    List<RegistryLogin> logins = new ArrayList<>();
    for (SecretRef ref : refs(sandbox)) {
      if (ref.use() instanceof Use.Login(String registry, String username)) {
        logins.add(new RegistryLogin(registry, username, secrets.text(sandbox.tenantId(), ref)));
      }
    }
    return logins;
  }

  /** Secrets that programs read as files. */
  List<PrivateFile> files(Sandbox sandbox, Attempt attempt) throws SecretException {
    return forBackend(sandbox, attempt).stream()
        .map(
            file -> new PrivateFile(Profile.SECRETS + "/" + file.name(), file.content(), List.of()))
        .toList();
  }

  /** The same for a backend that gives them to programs before boxd can. */
  List<SecretFile> forBackend(Sandbox sandbox, Attempt attempt) throws SecretException {
    List<SecretFile> files = new ArrayList<>();
    for (SecretRef ref : refs(sandbox)) {
      if (ref.use() instanceof Use.InFile && !attempt.makesLayer()) {
        files.add(new SecretFile(ref.name(), secrets.bytes(sandbox.tenantId(), ref)));
      }
    }
    return files;
  }
}
