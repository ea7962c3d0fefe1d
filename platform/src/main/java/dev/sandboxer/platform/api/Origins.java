package dev.sandboxer.platform.api;

import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which web origins may change anything: those that the operator lists, and the platform's own
 * where only this machine reaches it, for its page {@code /docs}.
 */
@ApplicationScoped
class Origins {

  private final Set<String> allowed;
  private final ThisMachine thisMachine;

  Origins(Settings settings, ThisMachine thisMachine) {
    this.thisMachine = thisMachine;
    this.allowed = Set.copyOf(settings.list(Setting.SANDBOXER_CORS_ORIGINS));
  }

  void check(@Nullable String origin, @Nullable String host) {
    if (origin != null && !allowed.contains(origin) && !thisMachine.isOwn(origin, host)) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN,
          "origin '%s' may not call; the operator lists origins in SANDBOXER_CORS_ORIGINS"
              .formatted(origin.length() > 100 ? origin.substring(0, 100) : origin));
    }
  }
}
