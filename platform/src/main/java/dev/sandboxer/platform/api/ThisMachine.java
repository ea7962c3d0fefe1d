package dev.sandboxer.platform.api;

import dev.sandboxer.platform.installation.Settings;
import io.vertx.core.net.HostAndPort;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether only this machine reaches the platform, and under which names it then calls it. */
@ApplicationScoped
public class ThisMachine {

  private static final Set<String> NAMES = Set.of("localhost", "127.0.0.1", "[::1]", "::1");

  private final boolean only;

  ThisMachine(Settings settings) {
    this.only =
        settings.listen().loopback()
            && !settings.behindTlsProxy()
            && settings.publicUrl().isEmpty();
  }

  /**
   * Whether the platform listens on loopback, and neither a proxy nor a public URL is declared.
   *
   * @return false where others may reach it
   */
  public boolean only() {
    return only;
  }

  /**
   * Whether a request came to one of this machine's own names, and nobody else could send it.
   *
   * @param host header of the request, null if it has none
   * @return false where others may reach the platform, or the name is another one
   */
  public boolean calls(@Nullable String host) {
    HostAndPort parsed = host == null ? null : HostAndPort.parseAuthority(host, -1);
    return only && parsed != null && NAMES.contains(parsed.host().toLowerCase(Locale.ROOT));
  }

  /**
   * Whether a page came from the platform itself.
   *
   * @param origin header of the request
   * @param host header of the request, null if it has none
   * @return true for the very scheme, name and port that the request went to
   */
  boolean isOwn(String origin, @Nullable String host) {
    return calls(host) && (origin.equals("http://" + host) || origin.equals("https://" + host));
  }
}
