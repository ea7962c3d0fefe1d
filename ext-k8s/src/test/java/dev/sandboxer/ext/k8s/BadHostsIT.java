package dev.sandboxer.ext.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxIdentity;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clusters, and logins of clusters, that are not as they should be. */
class BadHostsIT {

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static TestCluster cluster;

  @TempDir private Path home;

  @BeforeAll
  static void prepareCluster() {
    cluster = new TestCluster();
  }

  @AfterAll
  static void removeNamespace() {
    cluster.close();
  }

  private Scene scene(HostRef host) throws Exception {
    return new Scene(home, cluster, host, "missing");
  }

  private Scene scene(String kubeconfig) throws Exception {
    return scene(cluster.host().withCredentials(Map.of("kubeconfig", kubeconfig)));
  }

  private static ExtensionException failure(Scene scene) {
    ExtensionException failure = scene.failure();
    assertThat(failure.outcome()).as("%s", failure).isEqualTo(Outcome.NOTHING_CREATED);
    assertThat(scene.traces()).isZero();
    scene.extension.close();
    return failure;
  }

  /** With the rights of an administrator, who may see that something is not there. */
  private static HostRef asAdmin(Map<String, Object> more) throws Exception {
    String kubeconfig = Files.readString(Path.of(System.getenv("SANDBOXER_TEST_KUBECONFIG")));
    return cluster.host(more).withCredentials(Map.of("kubeconfig", kubeconfig));
  }

  @Test
  void whatIsNoKubeconfig() throws Exception {
    for (String text : new String[] {"x", "{}", "a: [", "password: hunter2"}) {
      Scene scene = scene(text);
      assertThat(scene.wrong()).containsOnlyKeys("cluster");
      ExtensionException failure = failure(scene);
      assertThat(failure.code()).as(text).isEqualTo(ErrorCode.VALIDATION);
      assertThat(failure)
          .hasMessageContaining("is not a kubeconfig")
          .hasMessageNotContaining("hunter2");
    }
  }

  @Test
  void noKubeconfigAtAll() throws Exception {
    assertThat(failure(scene(cluster.host().withCredentials(Map.of()))))
        .hasMessageContaining("credentials.kubeconfig refers to it");
  }

  @Test
  void aContextThatIsNotThere() throws Exception {
    ExtensionException failure = failure(scene(cluster.host(Map.of("context", "other"))));
    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION);
    assertThat(failure).hasMessageContaining("has no context 'other'", "[test]");
  }

  /** It would run on the platform's machine. */
  @Test
  void aLoginByAProgramIsNotRun() throws Exception {
    Path proof = home.resolve("proof");
    String program =
        "{exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, args: ['%s']}}"
            .formatted(proof);
    ExtensionException failure =
        failure(scene(cluster.kubeconfig("t").replace("{token: 't'}", program)));
    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION);
    assertThat(failure).hasMessageContaining("logs in by a program");
    assertThat(proof).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "certificate-authority-data: '[^']*' | certificate-authority: /etc/hostname | names files",
        "\\{token: 't'\\} | {tokenFile: /etc/hostname} | names files",
        "\\{token: 't'\\} | {client-certificate: /etc/a, client-key: /etc/b} | names files",
        "token: 't' | token: t, as: root | acts as somebody else",
        "server: | tls-server-name: other, server: | has a tls-server-name",
        "server: | proxy-url: 'http://a.test', server: | has a proxy-url",
        "user: \\{token: 't'\\} | user: | has no user 'test' with a login",
        "name: test, cluster: | name: other, cluster: | has no cluster 'test'"
      })
  void whatWouldBeReadOrLeftOutSilently(String what, String instead, String message)
      throws Exception {
    String usual = cluster.kubeconfig("t");
    String changed = usual.replaceFirst(what, Matcher.quoteReplacement(instead));
    assertThat(changed).isNotEqualTo(usual);
    ExtensionException failure = failure(scene(changed));
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.VALIDATION);
    assertThat(failure).hasMessageContaining(message);
  }

  @Test
  void aServerThatIsNotVerified() throws Exception {
    String insecure =
        cluster
            .kubeconfig("t")
            .replaceFirst("certificate-authority-data: '[^']*'", "insecure-skip-tls-verify: true");
    ExtensionException failure = failure(scene(insecure));
    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION);
    assertThat(failure).hasMessageContaining("insecure-skip-tls-verify");
  }

  @Test
  void theKubeconfigOfAnotherCluster() throws Exception {
    ExtensionException failure =
        failure(scene(cluster.kubeconfig("https://192.0.2.1:6443", cluster.authority(), "token")));
    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION);
    assertThat(failure)
        .hasMessageContaining("is of the API server https://192.0.2.1:6443", cluster.address);
  }

  @Test
  void anAuthorityThatDidNotSignTheServer() throws Exception {
    Path key = home.resolve("k.pem");
    Path certificate = home.resolve("c.pem");
    TestCluster.certificate(key, certificate, "other");
    String authority = Base64.getEncoder().encodeToString(Files.readAllBytes(certificate));
    ExtensionException failure =
        failure(scene(cluster.kubeconfig(cluster.address, authority, "token")));
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.AUTHORIZATION);
    assertThat(failure).hasMessageContaining("is not the one of the kubeconfig");
  }

  @Test
  void aTokenThatIsNotGoodAnyMore() throws Exception {
    Scene scene = scene(cluster.kubeconfig("expired"));
    assertThat(scene.wrong()).isNotEmpty();
    ExtensionException failure = failure(scene);
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.AUTHORIZATION);
    assertThat(failure).hasMessageContaining("have expired");
  }

  @Test
  void nobodyThere() throws Exception {
    String nobody = "https://127.0.0.1:1";
    HostRef host =
        new HostRef("cluster", nobody)
            .withSettings(cluster.host().settings())
            .withCredentials(
                Map.of("kubeconfig", cluster.kubeconfig(nobody, cluster.authority(), "t")));
    Scene scene = scene(host);
    assertThat(scene.wrong()).containsOnlyKeys("cluster");
    ExtensionException failure = failure(scene);
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("does not answer");
  }

  @Test
  void aNamespaceThatIsNotThere() throws Exception {
    ExtensionException failure = failure(scene(asAdmin(Map.of("namespace", "nowhere"))));
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.VALIDATION);
    assertThat(failure).hasMessageContaining("there is no namespace 'nowhere'");
  }

  @Test
  void aNamespaceThatIsBeingDeleted() throws Exception {
    String name = cluster.namespace + "-going";
    cluster
        .admin
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
    var held =
        new PodBuilder()
            .withNewMetadata()
            .withName("held")
            .withNamespace(name)
            .withFinalizers("test.sandboxer.dev/held")
            .endMetadata()
            .withNewSpec()
            .addNewContainer()
            .withName("c")
            .withImage(TestCluster.IMAGE)
            .endContainer()
            .endSpec()
            .build();
    cluster.admin.resource(held).create();
    cluster.admin.namespaces().withName(name).delete();
    ExtensionException failure = failure(scene(asAdmin(Map.of("namespace", name))));
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("is being deleted");
    cluster
        .admin
        .pods()
        .inNamespace(name)
        .withName("held")
        .edit(pod -> pod.edit().editMetadata().withFinalizers().endMetadata().build());
  }

  @Test
  void rightsThatAreMissingAreNamed() throws Exception {
    onPods("get", "list", "delete");
    try {
      Scene scene = new Scene(home, cluster);
      assertThat(scene.wrong()).containsOnlyKeys("rights");
      assertThat(scene.wrong().get("rights"))
          .contains("create pods, watch pods -> sandboxer k8s manifest --namespace")
          .doesNotContain("list pods");
      ExtensionException failure = failure(scene);
      assertThat(failure.code()).isEqualTo(ErrorCode.AUTHORIZATION);
      assertThat(failure).hasMessageContaining("cannot create pod");
    } finally {
      onPods("create", "get", "list", "watch", "delete");
    }
  }

  /** What the platform's account may do with pods from now on. */
  private static void onPods(String... verbs) {
    cluster
        .admin
        .rbac()
        .roles()
        .inNamespace(cluster.namespace)
        .withName("sandboxer")
        .edit(
            role ->
                role.edit()
                    .editMatchingRule(rule -> rule.getResources().contains("pods"))
                    .withVerbs(verbs)
                    .endRule()
                    .build());
  }

  @Test
  void anApiServerThatHangs() throws Exception {
    Scene scene = new Scene(home, cluster);
    SandboxIdentity identity = scene.identity();
    assertThat(scene.wrong()).as("there is a connection now").isEmpty();
    cluster.signalApiServer("STOP");
    ExtensionException failure;
    try {
      failure = scene.failure(scene.request(identity));
    } finally {
      cluster.signalApiServer("CONT");
    }
    assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("does not answer");
    assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
    isRemoved(scene, identity);
  }

  /** Nobody knows then whether the request had an effect, so it is looked for. */
  @Test
  void anAnswerThatIsLost() throws Exception {
    try (LosingFront front = new LosingFront(URI.create(cluster.address))) {
      HostRef direct = cluster.host();
      String kubeconfig = String.valueOf(direct.credentials().get("kubeconfig"));
      HostRef host =
          new HostRef("cluster", front.url())
              .withSettings(direct.settings())
              .withCredentials(
                  Map.of("kubeconfig", kubeconfig.replace(cluster.address, front.url())));
      Scene scene = scene(host);
      SandboxIdentity identity = scene.identity();
      ExtensionException failure = scene.failure(scene.request(identity));
      assertThat(front.lost()).isTrue();
      assertThat(failure.code()).as("%s", failure).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
      isRemoved(scene, identity);
    }
  }

  private static void isRemoved(Scene scene, SandboxIdentity identity) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> scene.teardown(identity).clean() && scene.traces() == 0);
    scene.extension.close();
  }

  @Test
  void aClusterAsItShouldBe() throws Exception {
    Scene scene = new Scene(home, cluster);
    assertThat(scene.wrong()).isEmpty();
    scene.extension.close();
  }
}
