package dev.sandboxer.platform.webhook;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Why nothing could be sent, in few words: more would let a tenant look around in the network. */
final class ConnectFault {

  private ConnectFault() {}

  static String of(Throwable failure) {
    if (!(failure instanceof SSLException)) {
      return "the receiver could not be connected to";
    }
    String reason = "TLS could not be agreed on with the receiver";
    for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
      reason = known(cause, reason);
    }
    return reason;
  }

  /** The innermost cause that is known counts. */
  private static String known(Throwable cause, String before) {
    return switch (cause) {
      case CertificateExpiredException _ -> "the receiver's certificate has expired";
      case CertificateNotYetValidException _ -> "the receiver's certificate is not valid yet";
      case CertPathBuilderException _, CertPathValidatorException _ ->
          "the receiver's certificate is not signed by an authority that the platform trusts";
      // This class itself, no subclass: thrown where the name is compared.
      case CertificateException name when name.getClass() == CertificateException.class ->
          "the receiver's certificate is for another name than the URL's";
      default -> before;
    };
  }
}
