package dev.sandboxer.platform.token;

import dev.sandboxer.platform.id.SandboxId;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** For which sandbox a token claims to be, so that a check of that claim can follow. */
public final class Audience {

  private static final int MAX_LENGTH = 4096;
  private static final Pattern FORM =
      Pattern.compile("urn:sandboxer:sandbox:sb_([a-z][a-z0-9]{19})");

  private Audience() {}

  /**
   * Reads the claim, unchecked.
   *
   * @param token as it came
   * @return the id, empty if the token is no token
   */
  public static Optional<SandboxId> sandboxOf(String token) {
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3 || token.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    try {
      String claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
      Matcher match = FORM.matcher(String.valueOf(new JsonObject(claims).getValue("aud")));
      return match.matches() ? Optional.of(new SandboxId(match.group(1))) : Optional.empty();
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }
}
