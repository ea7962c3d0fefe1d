package dev.sandboxer.ext.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxIdentity;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clusters whose operators refuse or change pods. */
class AdmissionIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static TestCluster cluster;

  @TempDir private Path home;
  private Scene scene;
  private final List<HasMetadata> applied = new ArrayList<>();

  @BeforeAll
  static void prepareCluster() {
    cluster = new TestCluster();
  }

  @AfterAll
  static void removeNamespace() {
    cluster.close();
  }

  @BeforeEach
  void prepare() throws Exception {
    scene = new Scene(home, cluster);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    applied.reversed().forEach(one -> cluster.admin.resource(one).delete());
    await().ignoreExceptions().until(this::admitted);
    assertThat(scene.traces()).isZero();
    scene.extension.close();
  }

  /** Whether what was applied has no effect any more. */
  private boolean admitted() throws Exception {
    SandboxIdentity identity = scene.identity();
    try {
      scene.provision(identity);
      return Optional.ofNullable(scene.seen(identity))
          .filter(pod -> !pod.getMetadata().getLabels().containsKey("team"))
          .isPresent();
    } finally {
      assertThat(scene.teardown(identity).clean()).isTrue();
    }
  }

  private void apply(String yaml) {
    cluster
        .admin
        .load(
            new ByteArrayInputStream(
                yaml.replace("NAMESPACE", cluster.namespace).getBytes(StandardCharsets.UTF_8)))
        .items()
        .forEach(item -> applied.add(cluster.admin.resource(item).create()));
  }

  /** An API server takes up a change of its admission a little later. */
  private ExtensionException refused() {
    return await()
        .until(
            () -> {
              SandboxIdentity identity = scene.identity();
              ExtensionException failure =
                  catchThrowableOfType(ExtensionException.class, () -> scene.provision(identity));
              if (failure != null && failure.outcome().equals(Outcome.NOTHING_CREATED)) {
                assertThat(scene.traces()).isZero();
              }
              assertThat(scene.teardown(identity).clean()).isTrue();
              return failure;
            },
            failure -> failure != null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Invalid", "Forbidden"})
  void aPolicyThatRefusesThePod(String reason) {
    apply(
        """
        apiVersion: admissionregistration.k8s.io/v1
        kind: ValidatingAdmissionPolicy
        metadata: {name: NAMESPACE}
        spec:
          matchConstraints:
            resourceRules:
            - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
          validations:
          - {expression: "'cost-centre' in object.metadata.labels", message: "pods need the label cost-centre", reason: REASON}
        ---
        apiVersion: admissionregistration.k8s.io/v1
        kind: ValidatingAdmissionPolicyBinding
        metadata: {name: NAMESPACE}
        spec:
          policyName: NAMESPACE
          validationActions: [Deny]
          matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAMESPACE}}}
        """
            .replace("REASON", reason));
    ExtensionException failure = refused();
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.VALIDATION);
    assertThat(failure.outcome()).isEqualTo(Outcome.NOTHING_CREATED);
    assertThat(failure).hasMessageContaining("pods need the label cost-centre");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"op\":\"add\",\"path\":\"/spec/containers/-\",\"value\":{\"name\":\"proxy\",\"image\":\"x\",\"securityContext\":{\"allowPrivilegeEscalation\":false,\"capabilities\":{\"drop\":[\"ALL\"]}},\"resources\":{\"limits\":{\"cpu\":\"1\",\"memory\":\"1Mi\"}}}}",
        "{\"op\":\"replace\",\"path\":\"/spec/containers/0/securityContext/readOnlyRootFilesystem\",\"value\":false}",
        "{\"op\":\"replace\",\"path\":\"/spec/securityContext/runAsUser\",\"value\":1000}",
        "{\"op\":\"replace\",\"path\":\"/spec/automountServiceAccountToken\",\"value\":true}"
      })
  void aWebhookThatWeakensThePod(String change) throws Exception {
    try (Webhook webhook = new Webhook(change)) {
      ExtensionException failure = refused();
      assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.VALIDATION);
      assertThat(failure.outcome()).isEqualTo(Outcome.NOTHING_CREATED);
      assertThat(failure).hasMessageContaining("was changed by the cluster's admission");
      assertThat(webhook.asked.get()).isPositive();
    }
  }

  @Test
  void aWebhookThatAddsALabel() throws Exception {
    try (Webhook webhook =
        new Webhook("{\"op\":\"add\",\"path\":\"/metadata/labels/team\",\"value\":\"x\"}")) {
      await()
          .until(
              () -> {
                SandboxIdentity identity = scene.identity();
                scene.ready(scene.provision(identity));
                boolean changed =
                    scene.seen(identity).getMetadata().getLabels().containsKey("team");
                assertThat(scene.teardown(identity).clean()).isTrue();
                return changed;
              });
      assertThat(webhook.asked.get()).isPositive();
    }
  }

  @Test
  void aWebhookThatIsAway() throws Exception {
    Webhook webhook = new Webhook("{}");
    webhook.server.stop(0);
    ExtensionException failure = refused();
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("failed calling webhook");
    webhook.close();
  }

  /** A server on this machine, which the API server asks of each pod of the namespace. */
  private final class Webhook implements AutoCloseable {
    final HttpsServer server;
    final AtomicInteger asked = new AtomicInteger();
    private final String change;

    Webhook(String change) throws Exception {
      this.change = change;
      String machine = TestCluster.outside();
      Path key = home.resolve("key.pem");
      Path certificate = home.resolve("certificate.pem");
      Path store = home.resolve("store.p12");
      TestCluster.certificate(
          key, certificate, "webhook", "-addext", "subjectAltName=IP:" + machine);
      TestCluster.run(
          "openssl",
          "pkcs12",
          "-export",
          "-inkey",
          key.toString(),
          "-in",
          certificate.toString(),
          "-passout",
          "pass:test",
          "-out",
          store.toString());
      server = HttpsServer.create(new InetSocketAddress(machine, 0), 0);
      server.setHttpsConfigurator(new HttpsConfigurator(context(store)));
      server.createContext("/", this::answer);
      server.start();
      apply(
          """
          apiVersion: admissionregistration.k8s.io/v1
          kind: MutatingWebhookConfiguration
          metadata: {name: NAMESPACE}
          webhooks:
          - name: change.test.sandboxer.dev
            clientConfig: {url: "https://%s:%d/", caBundle: "%s"}
            rules:
            - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
            namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAMESPACE}}
            admissionReviewVersions: [v1]
            sideEffects: None
            timeoutSeconds: 5
          """
              .formatted(
                  machine,
                  server.getAddress().getPort(),
                  Base64.getEncoder().encodeToString(Files.readAllBytes(certificate))));
    }

    private static SSLContext context(Path file) throws Exception {
      KeyStore store = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(file)) {
        store.load(in, "test".toCharArray());
      }
      KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
      keys.init(store, "test".toCharArray());
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return context;
    }

    private void answer(HttpExchange exchange) throws IOException {
      JsonNode review = JSON.readTree(exchange.getRequestBody());
      String patch =
          Base64.getEncoder().encodeToString(("[" + change + "]").getBytes(StandardCharsets.UTF_8));
      byte[] reply =
          JSON.writeValueAsBytes(
              Map.of(
                  "apiVersion",
                  "admission.k8s.io/v1",
                  "kind",
                  "AdmissionReview",
                  "response",
                  Map.of(
                      "uid",
                      review.at("/request/uid").asText(),
                      "allowed",
                      true,
                      "patchType",
                      "JSONPatch",
                      "patch",
                      patch)));
      asked.incrementAndGet();
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, reply.length);
      exchange.getResponseBody().write(reply);
      exchange.close();
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }
}
