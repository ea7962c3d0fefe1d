package dev.sandboxer.ext.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Outcome;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clusters, and logins of clusters, that are not as they should be. */
class BadHostsIT {

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
    TestCluster.run(
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-subj",
        "/CN=other",
        "-days",
        "1",
        "-keyout",
        key.toString(),
        "-out",
        certificate.toString());
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
                    .withVerbs("get", "list", "delete")
                    .endRule()
                    .build());
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
                      .withVerbs("create", "get", "list", "watch", "delete")
                      .endRule()
                      .build());
    }
  }

  @Test
  void aClusterAsItShouldBe() throws Exception {
    Scene scene = new Scene(home, cluster);
    assertThat(scene.wrong()).isEmpty();
    scene.extension.close();
  }
}
