package dev.sandboxer.ext.k8s.cluster;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.util.Objects;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** What an API server means by a refusal, and what it means that there was no answer. */
final class ApiFailures {

  /** Less stands for an answer that did not come. */
  private static final int LEAST_STATUS = 100;

  private static final int BAD_REQUEST = 400;
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int GONE = 410;
  private static final int INVALID = 422;
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;
  private static final int UNAVAILABLE = 503;
  private static final int MOST = 1_000;

  private ApiFailures() {}

  /** A refusal has no effect; a request without an answer may have one. */
  static ExtensionException of(
      ClusterSettings settings, String namespace, String what, KubernetesClientException e) {
    int code = e.getCode();
    if (code < LEAST_STATUS) {
      return unanswered(settings, what, e);
    }
    Meaning meaning = meaning(code, namespace, said(e));
    return new ExtensionException(
        meaning.code(),
        code >= SERVER_ERROR ? Outcome.UNKNOWN : Outcome.NOTHING_CREATED,
        "cannot %s: %s".formatted(what, meaning.text()),
        e);
  }

  private record Meaning(ErrorCode code, String text) {}

  private static Meaning meaning(int code, String namespace, String said) {
    return switch (code) {
      case UNAUTHORIZED ->
          new Meaning(
              ErrorCode.AUTHORIZATION,
              "the API server does not accept the kubeconfig's credentials, or they have expired ("
                  + said
                  + ")");
      case FORBIDDEN -> forbidden(namespace, said);
      case NOT_FOUND ->
          new Meaning(
              ErrorCode.VALIDATION,
              said.contains("namespaces \"")
                  ? "there is no namespace '%s': settings.namespace of the host names one"
                      .formatted(namespace)
                  : said);
      case GONE -> new Meaning(ErrorCode.UNAVAILABLE, "the list has expired: " + said);
      case BAD_REQUEST, INVALID -> new Meaning(ErrorCode.VALIDATION, said);
      case TOO_MANY -> new Meaning(ErrorCode.UNAVAILABLE, "the API server is busy: " + said);
      default ->
          new Meaning(ErrorCode.UNAVAILABLE, "the API server answers %d: %s".formatted(code, said));
    };
  }

  private static Meaning forbidden(String namespace, String said) {
    if (said.contains("exceeded quota") || said.contains("failed quota")) {
      return new Meaning(ErrorCode.CAPACITY, said);
    }
    if (said.contains("being terminated")) {
      return new Meaning(
          ErrorCode.UNAVAILABLE, "namespace %s is being deleted".formatted(namespace));
    }
    if (said.contains("RuntimeClass")) {
      return new Meaning(ErrorCode.UNSUPPORTED, said);
    }
    if (said.contains("admission webhook")
        || said.contains("denied request")
        || said.contains("PodSecurity")
        || said.contains("LimitRange")
        || said.contains("maximum ")
        || said.contains("minimum ")) {
      return new Meaning(ErrorCode.VALIDATION, said);
    }
    return new Meaning(
        ErrorCode.AUTHORIZATION,
        said + "; `sandboxer k8s manifest` prints the rights that the platform needs");
  }

  private static ExtensionException unanswered(
      ClusterSettings settings, String what, KubernetesClientException e) {
    if (caused(e, InterruptedIOException.class) && Thread.currentThread().isInterrupted()) {
      return new ExtensionException(
          ErrorCode.TIMEOUT, Outcome.UNKNOWN, "cancelled while it was to " + what, e);
    }
    // No other failure of TLS says so: one may come after the request was sent.
    if (caused(e, SSLHandshakeException.class) || caused(e, SSLPeerUnverifiedException.class)) {
      return new ExtensionException(
          ErrorCode.AUTHORIZATION,
          Outcome.NOTHING_CREATED,
          "cannot %s: the server at %s is not the one of the kubeconfig, or does not accept its certificate: %s"
              .formatted(what, settings.address(), root(e)),
          e);
    }
    return new ExtensionException(
        ErrorCode.UNAVAILABLE,
        caused(e, ConnectException.class) ? Outcome.NOTHING_CREATED : Outcome.UNKNOWN,
        "cannot %s: the API server at %s does not answer: %s"
            .formatted(what, settings.address(), root(e)),
        e);
  }

  /** Whether a further try makes sense at once: the request was not taken. */
  static boolean wasNotTaken(KubernetesClientException e) {
    return e.getCode() == TOO_MANY
        || e.getCode() == UNAVAILABLE
        || caused(e, ConnectException.class);
  }

  static String reason(KubernetesClientException e) {
    return e.getStatus() == null ? "" : Objects.requireNonNullElse(e.getStatus().getReason(), "");
  }

  /** The server's own words; the client's would repeat the URL. */
  private static String said(KubernetesClientException e) {
    @Nullable String own = e.getStatus() == null ? null : e.getStatus().getMessage();
    String text = Objects.requireNonNullElse(own, String.valueOf(e.getMessage()));
    return Plain.text(text, MOST);
  }

  private static boolean caused(Throwable e, Class<? extends Throwable> type) {
    for (@Nullable Throwable at = e; at != null; at = at.getCause()) {
      if (type.isInstance(at)) {
        return true;
      }
    }
    return false;
  }

  static String root(Throwable e) {
    Throwable at = e;
    while (at.getCause() != null) {
      at = at.getCause();
    }
    String message = at.getMessage();
    return Plain.text(message == null ? at.getClass().getSimpleName() : message, MOST);
  }
}
