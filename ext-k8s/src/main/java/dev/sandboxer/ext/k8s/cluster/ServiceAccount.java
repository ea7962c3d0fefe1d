package dev.sandboxer.ext.k8s.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * Who the platform is in the cluster that it runs in. Files of the pod say it; the kubelet writes a
 * new token each hour.
 *
 * @param namespace of the platform's pods
 * @param token a secret
 * @param authority certificates of the API server's authority, PEM
 */
record ServiceAccount(String namespace, String token, String authority) {

  private static final Path FOLDER = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");
  private static final ObjectMapper JSON = new ObjectMapper();

  static ServiceAccount read(String host) throws ExtensionException {
    try {
      return new ServiceAccount(
          Files.readString(FOLDER.resolve("namespace")).strip(),
          Files.readString(FOLDER.resolve("token")).strip(),
          Files.readString(FOLDER.resolve("ca.crt")));
    } catch (IOException e) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          "settings.inside of host %s needs a platform that runs in that cluster with its service account: %s cannot be read"
              .formatted(host, e.getMessage()));
    }
  }

  /** The same login as a kubeconfig, which is JSON as well. */
  String kubeconfig(String server) {
    String data = Base64.getEncoder().encodeToString(authority.getBytes(StandardCharsets.UTF_8));
    Map<String, Object> cluster = Map.of("server", server, "certificate-authority-data", data);
    Map<String, Object> context = Map.of("cluster", "cluster", "user", "platform");
    try {
      return JSON.writeValueAsString(
          Map.of(
              "apiVersion",
              "v1",
              "kind",
              "Config",
              "current-context",
              "inside",
              "clusters",
              List.of(Map.of("name", "cluster", "cluster", cluster)),
              "contexts",
              List.of(Map.of("name", "inside", "context", context)),
              "users",
              List.of(Map.of("name", "platform", "user", Map.of("token", token)))));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "ServiceAccount[namespace=" + namespace + "]";
  }
}
