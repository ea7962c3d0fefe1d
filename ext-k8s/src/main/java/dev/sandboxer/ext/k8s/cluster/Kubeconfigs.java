package dev.sandboxer.ext.k8s.cluster;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedCluster;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.internal.KubeConfigUtils;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads a kubeconfig, and nothing else: no variables, system properties or files of the platform's
 * user say where a cluster is.
 */
final class Kubeconfigs {

  private static final int CONNECT_MILLIS = 5_000;
  private static final int REQUEST_MILLIS = 20_000;

  /** Who has tried twice does not know what the first try has done. */
  private static final int RETRIES = 0;

  private static final int HTTPS = 443;

  private Kubeconfigs() {}

  static Config read(ClusterSettings settings) throws ExtensionException {
    io.fabric8.kubernetes.api.model.Config file = parsed(settings);
    NamedContext context = context(settings, file);
    AuthInfo login = login(settings, file, context);
    io.fabric8.kubernetes.api.model.Cluster cluster = cluster(settings, file, context);
    refusePrograms(settings, login);
    refuseFiles(settings, login, cluster);
    refuseOthers(settings, login, cluster);
    Config config = Config.empty();
    try {
      KubeConfigUtils.merge(config, context.getName(), file);
    } catch (RuntimeException e) {
      throw wrong(settings, "cannot be used: " + e.getMessage());
    }
    checkServer(settings, config);
    config.setConnectionTimeout(CONNECT_MILLIS);
    config.setRequestTimeout(REQUEST_MILLIS);
    config.setRequestRetryBackoffLimit(RETRIES);
    return config;
  }

  private static io.fabric8.kubernetes.api.model.Config parsed(ClusterSettings settings)
      throws ExtensionException {
    try {
      io.fabric8.kubernetes.api.model.Config file =
          KubeConfigUtils.parseConfigFromString(settings.kubeconfig());
      if (file != null && file.getContexts() != null && !file.getContexts().isEmpty()) {
        return file;
      }
    } catch (RuntimeException e) {
      // The parser's message may quote the file, which is a secret.
    }
    throw wrong(settings, "is not a kubeconfig: it must be YAML with clusters, contexts and users");
  }

  private static NamedContext context(
      ClusterSettings settings, io.fabric8.kubernetes.api.model.Config file)
      throws ExtensionException {
    List<String> names = file.getContexts().stream().map(NamedContext::getName).toList();
    String wanted =
        settings.context().or(() -> Optional.ofNullable(file.getCurrentContext())).orElse("");
    Optional<NamedContext> found =
        file.getContexts().stream()
            .filter(one -> wanted.equals(one.getName()) && one.getContext() != null)
            .findFirst();
    if (found.isEmpty()) {
      throw wrong(
          settings, "has no context '%s': settings.context is one of %s".formatted(wanted, names));
    }
    return found.get();
  }

  /** Whoever may register a host need not be one who may run programs on the platform's machine. */
  private static void refusePrograms(ClusterSettings settings, AuthInfo login)
      throws ExtensionException {
    if (login.getExec() != null || login.getAuthProvider() != null) {
      throw wrong(
          settings,
          "logs in by a program (exec or auth-provider), which is not run here: use the token or certificate of a service account");
    }
  }

  /** Nor read its files. */
  private static void refuseFiles(
      ClusterSettings settings, AuthInfo login, io.fabric8.kubernetes.api.model.Cluster cluster)
      throws ExtensionException {
    if (Stream.of(
            Optional.ofNullable(login.getTokenFile()),
            Optional.ofNullable(login.getClientCertificate()),
            Optional.ofNullable(login.getClientKey()),
            Optional.ofNullable(cluster.getCertificateAuthority()))
        .anyMatch(Optional::isPresent)) {
      throw wrong(
          settings,
          "names files, which are not read here: 'kubectl config view --minify --raw --flatten' writes one that has what is in them");
    }
  }

  /** What would be left out silently. */
  private static void refuseOthers(
      ClusterSettings settings, AuthInfo login, io.fabric8.kubernetes.api.model.Cluster cluster)
      throws ExtensionException {
    if (login.getAs() != null) {
      throw wrong(settings, "acts as somebody else (as), which cannot be used yet");
    }
    if (cluster.getTlsServerName() != null) {
      throw wrong(settings, "has a tls-server-name, which cannot be used yet");
    }
    if (cluster.getProxyUrl() != null) {
      throw wrong(settings, "has a proxy-url, which cannot be used yet");
    }
    if (Boolean.TRUE.equals(cluster.getInsecureSkipTlsVerify())) {
      throw wrong(settings, "has insecure-skip-tls-verify, by which anybody could take its token");
    }
  }

  private static AuthInfo login(
      ClusterSettings settings, io.fabric8.kubernetes.api.model.Config file, NamedContext context)
      throws ExtensionException {
    String user = String.valueOf(context.getContext().getUser());
    return Optional.ofNullable(file.getUsers()).orElse(List.of()).stream()
        .filter(one -> user.equals(one.getName()) && one.getUser() != null)
        .map(NamedAuthInfo::getUser)
        .reduce((_, last) -> last) // as the client does where two have one name
        .orElseThrow(() -> wrong(settings, "has no user '%s' with a login".formatted(user)));
  }

  private static io.fabric8.kubernetes.api.model.Cluster cluster(
      ClusterSettings settings, io.fabric8.kubernetes.api.model.Config file, NamedContext context)
      throws ExtensionException {
    String cluster = String.valueOf(context.getContext().getCluster());
    return Optional.ofNullable(file.getClusters()).orElse(List.of()).stream()
        .filter(one -> cluster.equals(one.getName()) && one.getCluster() != null)
        .map(NamedCluster::getCluster)
        .reduce((_, last) -> last)
        .orElseThrow(() -> wrong(settings, "has no cluster '%s'".formatted(cluster)));
  }

  private static void checkServer(ClusterSettings settings, Config config)
      throws ExtensionException {
    String server = config.getMasterUrl();
    if (server == null || !same(server, settings.address())) {
      throw wrong(
          settings,
          "is of the API server %s, and the host's address is %s"
              .formatted(server, settings.address()));
    }
  }

  private static boolean same(String one, String other) {
    try {
      return place(URI.create(one)).equals(place(URI.create(other)));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static String place(URI uri) {
    String path = Optional.ofNullable(uri.getPath()).orElse("").replaceAll("/+$", "");
    int port = uri.getPort() < 0 ? HTTPS : uri.getPort();
    return "%s://%s:%d%s".formatted(uri.getScheme(), uri.getHost(), port, path);
  }

  private static ExtensionException wrong(ClusterSettings settings, String what) {
    return new ExtensionException(
        ErrorCode.VALIDATION, "credentials.kubeconfig of host " + settings.host() + " " + what);
  }
}
