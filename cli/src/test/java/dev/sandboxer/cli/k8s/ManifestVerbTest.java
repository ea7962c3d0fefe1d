package dev.sandboxer.cli.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a cluster needs; that it is enough, the backend's tests show on a real one. */
class ManifestVerbTest {

  @Test
  void itIsOfTheNamespaceAlone() {
    CommandLineRun run = new CommandLineRun();
    assertThat(
            run.run(
                "k8s",
                "manifest",
                "--namespace",
                "boxes",
                "--pods",
                "7",
                "--cpus",
                "3",
                "--memory",
                "9Gi"))
        .as(run.err())
        .isZero();
    assertThat(run.out())
        .contains("name: boxes", "namespace: boxes", "pods: \"7\"", "limits.cpu: \"3\"")
        .contains("limits.memory: 9Gi", "enforce: restricted")
        .doesNotContain(
            "ClusterRole", "NAMESPACE", "PODS", "CPUS", "MEMORY", "namespace: sandboxes");
  }

  @ParameterizedTest
  @CsvSource({
    "--namespace,Boxes,--namespace 'Boxes' must be",
    "--namespace,'a}, x: {',must be lower case",
    "--pods,0,must be above 0",
    "--memory,much,must be bytes or a size such as 512Mi"
  })
  void whatIsNoValueIsRefused(String option, String value, String message) {
    CommandLineRun run = new CommandLineRun();
    assertThat(run.run("k8s", "manifest", option, value)).isEqualTo(2);
    assertThat(run.err()).contains(message);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void withoutAVerbItSaysWhichThereAre() {
    CommandLineRun run = new CommandLineRun();
    assertThat(run.run("k8s")).isEqualTo(2);
    assertThat(run.err()).contains("k8s manifest");
  }
}
