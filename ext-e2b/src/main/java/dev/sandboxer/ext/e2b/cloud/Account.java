package dev.sandboxer.ext.e2b.cloud;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An account with E2B, or with an installation of one's own: what a host of this extension is.
 *
 * @param host name of the host
 * @param api where the control plane is, without a slash at its end
 * @param key of the account, secret
 * @param sandboxUrl of an edge that selects the sandbox by headers, if there is one
 * @param domain below which each port of each sandbox has a name; empty if only E2B's replies say
 *     it
 * @param caFile authorities beside Java's
 * @param template for profiles that name none
 * @param templates by image: those that were built for it
 */
public record Account(
    String host,
    URI api,
    String key,
    Optional<URI> sandboxUrl,
    Optional<String> domain,
    Optional<Path> caFile,
    String template,
    Map<String, String> templates) {

  /** The credential's name. */
  public static final String API_KEY = "api_key";

  private static final String BASE = "base";
  private static final String API_PREFIX = "api.";

  /** Keeps an immutable copy. */
  public Account {
    templates = Map.copyOf(templates);
  }

  /**
   * Reads a host.
   *
   * @param host as the platform has it, with its secrets
   * @return the account
   * @throws ExtensionException UNSUPPORTED for an address that is no {@code https} URL,
   *     AUTHORIZATION without a usable key
   */
  public static Account of(HostRef host) throws ExtensionException {
    URI api = api(host);
    Map<String, Object> settings = host.settings();
    return new Account(
        host.id(),
        api,
        key(host),
        text(settings, "sandbox_url").map(url -> URI.create(withoutSlash(url))),
        text(settings, "domain"),
        text(settings, "ca_file").map(Path::of),
        text(settings, "template").orElse(BASE),
        templates(settings));
  }

  private static URI api(HostRef host) throws ExtensionException {
    try {
      URI api = new URI(withoutSlash(host.address()));
      if ("https".equals(api.getScheme())
          && api.getHost() != null
          && api.getRawUserInfo() == null
          && api.getRawQuery() == null
          && api.getRawFragment() == null) {
        return api;
      }
    } catch (java.net.URISyntaxException e) {
      // reported below
    }
    throw new ExtensionException(
        ErrorCode.UNSUPPORTED,
        "host %s has the address '%s': ext.e2b needs the API's URL, such as https://api.e2b.app"
            .formatted(host.id(), host.address()));
  }

  private static String key(HostRef host) throws ExtensionException {
    String key = host.credentials().getOrDefault(API_KEY, "");
    if (!key.matches("[\\x21-\\x7e]{1,512}")) {
      throw new ExtensionException(
          ErrorCode.AUTHORIZATION,
          "host %s has %s; name where it is with --credential %s=env:NAME or =file:/PATH"
              .formatted(
                  host.id(),
                  key.isEmpty() ? "no API key" : "an API key with characters that no key has",
                  API_KEY));
    }
    return key;
  }

  /**
   * Below which ports have names where neither the operator nor E2B says it.
   *
   * @return the API's host without {@code api.}, empty if it has another name
   */
  Optional<String> usualDomain() {
    String authority = api.getAuthority();
    return authority.startsWith(API_PREFIX)
        ? Optional.of(authority.substring(API_PREFIX.length()))
        : Optional.empty();
  }

  /**
   * Whether it is known where sandboxes are reached before there is one.
   *
   * @return false if only E2B's replies say it
   */
  public boolean edgeIsKnown() {
    return sandboxUrl.isPresent() || domain.isPresent() || usualDomain().isPresent();
  }

  private static Map<String, String> templates(Map<String, Object> settings) {
    Map<String, String> byImage = new TreeMap<>();
    if (settings.get("templates") instanceof Map<?, ?> values) {
      values.forEach((image, template) -> byImage.put(image.toString(), template.toString()));
    }
    return byImage;
  }

  private static Optional<String> text(Map<String, Object> settings, String name) {
    return Optional.ofNullable(settings.get(name)).map(Object::toString);
  }

  private static String withoutSlash(String url) {
    return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
  }

  /** Without the key. */
  @Override
  public String toString() {
    return "Account[host=" + host + ", api=" + api + "]";
  }
}
