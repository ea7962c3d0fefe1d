package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.UnauthorizedException;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.util.Locale;

/** What an Engine's refusal means. The Engine has answered, so it did nothing. */
final class Refusals {

  private static final int MAX_MESSAGE = 600;
  private static final int CLIENT_ERROR = 400;
  private static final int SERVER_ERROR = 500;

  private Refusals() {}

  static ExtensionException of(String what, String engine, DockerException refusal) {
    String said = said(refusal);
    return new ExtensionException(
        code(refusal, said.toLowerCase(Locale.ROOT)),
        Outcome.NOTHING_CREATED,
        "the Docker Engine at %s could not %s: %s%s".formatted(engine, what, said, advice(said)),
        refusal);
  }

  private static ErrorCode code(DockerException refusal, String said) {
    if (outOfDisk(said)) {
      return ErrorCode.CAPACITY;
    }
    if (refusal instanceof UnauthorizedException || refusal.getHttpStatus() == 403) {
      return ErrorCode.AUTHORIZATION;
    }
    if (unknownRuntime(said)) {
      return ErrorCode.UNSUPPORTED;
    }
    if (unseen(said)) {
      return ErrorCode.UNAVAILABLE;
    }
    boolean request =
        refusal.getHttpStatus() >= CLIENT_ERROR && refusal.getHttpStatus() < SERVER_ERROR;
    // What the container runtime refuses is about this container, not about the Engine.
    return request || said.contains("oci runtime") ? ErrorCode.VALIDATION : ErrorCode.UNAVAILABLE;
  }

  private static String advice(String said) {
    String text = said.toLowerCase(Locale.ROOT);
    if (outOfDisk(text)) {
      return "; free space where Docker keeps its data, such as by docker image prune";
    }
    if (unknownRuntime(text)) {
      return "; install the runtime and name it in the Engine's daemon.json, or change"
          + " isolation.runtime of the profile";
    }
    if (unseen(text)) {
      return "; it does not see what is here: it runs in another mount namespace or on another"
          + " machine";
    }
    return "";
  }

  /** Whatever is mounted was there a moment ago. */
  private static boolean unseen(String lowerCase) {
    return lowerCase.contains("bind source path does not exist");
  }

  static boolean outOfDisk(String lowerCase) {
    return lowerCase.contains("no space left on device")
        || lowerCase.contains("disk quota exceeded");
  }

  /** A registry's answer to no login, to a wrong one, or to one that may not read the image. */
  static boolean wantsLogin(String lowerCase) {
    return lowerCase.contains("unauthorized")
        || lowerCase.contains("no basic auth credentials")
        || lowerCase.contains("authentication required")
        || lowerCase.contains("denied")
        || lowerCase.contains("403 forbidden");
  }

  private static boolean unknownRuntime(String lowerCase) {
    return lowerCase.contains("unknown runtime")
        || lowerCase.contains("unknown or invalid runtime");
  }

  /** The Engine's own words, which docker-java leaves in JSON. */
  static String said(DockerException refusal) {
    return said(String.valueOf(refusal.getMessage()));
  }

  static String said(String answer) {
    String text = answer;
    int begin = text.indexOf("{\"message\":\"");
    if (begin >= 0) {
      text = text.substring(begin + 12).replaceAll("\"\\}\\s*$", "");
    }
    text = text.replace("\\\"", "\"").replace("\\n", " ").strip();
    return text.length() > MAX_MESSAGE ? text.substring(0, MAX_MESSAGE) + "…" : text;
  }
}
