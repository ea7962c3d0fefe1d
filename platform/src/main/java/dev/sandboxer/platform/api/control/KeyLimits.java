package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.access.Limits;
import dev.sandboxer.platform.api.Body;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** What a new key is narrowed to. */
final class KeyLimits {

  private static final Pattern USER = Pattern.compile("[^\\p{Cntrl}]{1,256}");
  private static final Pattern CAPABILITY =
      Pattern.compile("exec|shell|fs_read|fs_write|process|port");
  private static final Pattern SCOPE =
      Pattern.compile(
          "(thread|workspace|assistant|deployment|user|run|box)(:[^\\p{Cntrl}]{1,256})?");
  private static final int MOST = 32;

  private KeyLimits() {}

  static Limits read(Body body) {
    Optional<List<String>> capabilities =
        body.optionalList(
            "capabilities", CAPABILITY, "exec, shell, fs_read, fs_write, process or port", MOST);
    Optional<List<String>> scopes =
        body.optionalList("scopes", SCOPE, "a scope type, or type:prefix", MOST);
    return new Limits(
        body.optionalText("user", USER, "1 to 256 characters without control characters")
            .orElse(null),
        capabilities.orElse(null),
        scopes.orElse(null));
  }
}
