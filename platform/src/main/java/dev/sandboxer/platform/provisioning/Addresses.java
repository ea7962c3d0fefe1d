package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.installation.Sealer;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.DataplaneAddress.HttpsBase;
import dev.sandboxer.spi.DataplaneAddress.Streams;
import dev.sandboxer.spi.DataplaneAddress.Trust;
import dev.sandboxer.spi.DataplaneAddress.UnixSocket;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Addresses of boxd as an attempt's column {@code dataplane} keeps them. */
@ApplicationScoped
class Addresses {

  private final Json json;
  private final Sealer sealer;

  Addresses(Json json, Sealer sealer) {
    this.json = json;
    this.sealer = sealer;
  }

  /**
   * What the column keeps.
   *
   * @param unixSocket a path on the attempt's node
   * @param secret an {@link Https}, encrypted, in Base64: providers put secrets in headers and
   *     paths
   * @param streams whether the extension opens streams, and has to be asked again after a restart
   */
  private record Stored(
      @Nullable String unixSocket, @Nullable String secret, @Nullable Boolean streams) {}

  private record Https(String base, Map<String, String> headers, Trust trust) {}

  String text(String attemptId, @Nullable DataplaneAddress address) {
    return json.text(
        switch (address) {
          case null -> new Stored(null, null, null);
          case UnixSocket socket -> new Stored(socket.path().toString(), null, null);
          case HttpsBase base -> new Stored(null, seal(attemptId, base), null);
          case Streams _ -> new Stored(null, null, true);
        });
  }

  /** In what way boxd is reached, for events. */
  static String kind(@Nullable DataplaneAddress address) {
    return switch (address) {
      case null -> "none";
      case UnixSocket _ -> "unix";
      case HttpsBase _ -> "https";
      case Streams _ -> "stream";
    };
  }

  /** Whether the address does not outlive a restart of the platform. */
  boolean askedAgain(String text) {
    return Boolean.TRUE.equals(json.read(text, Stored.class).streams());
  }

  /** Empty where there is none, or only the extension can say it again. */
  Optional<DataplaneAddress> address(String attemptId, String text) {
    Stored stored = json.read(text, Stored.class);
    if (stored.unixSocket() != null) {
      return Optional.of(new UnixSocket(Path.of(stored.unixSocket())));
    }
    return Optional.ofNullable(stored.secret()).map(secret -> unseal(attemptId, secret));
  }

  private String seal(String attemptId, HttpsBase base) {
    Https https = new Https(base.base().toString(), base.headers(), base.trust());
    byte[] plain = json.text(https).getBytes(StandardCharsets.UTF_8);
    return Base64.getEncoder().encodeToString(sealer.seal(row(attemptId), plain));
  }

  private HttpsBase unseal(String attemptId, String secret) {
    byte[] plain = sealer.unseal(row(attemptId), Base64.getDecoder().decode(secret));
    Https https = json.read(new String(plain, StandardCharsets.UTF_8), Https.class);
    return new HttpsBase(URI.create(https.base()), https.headers(), https.trust());
  }

  private static String row(String attemptId) {
    return "attempt/" + attemptId + "/dataplane";
  }
}
