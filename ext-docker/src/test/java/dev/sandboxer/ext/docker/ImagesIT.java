package dev.sandboxer.ext.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.github.dockerjava.api.command.InspectContainerResponse;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.testing.registry.Layer;
import dev.sandboxer.testing.registry.RegistryImage;
import dev.sandboxer.testing.registry.RegistryServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Images of every kind: missing, forbidden, empty, hostile. */
class ImagesIT {
  @TempDir private Path home;

  private static SandboxSpec with(String image) {
    return SandboxRequests.spec(image);
  }

  @Test
  void aMissingImageIsFetchedAndItsFailureNamed() throws Exception {
    try (Scene scene = new Scene(home)) {
      ExtensionException failure = scene.failure(with("127.0.0.1:1/none/such:7"));
      assertThat(failure.code()).isEqualTo(ErrorCode.IMAGE_PULL);
      assertThat(failure.outcome()).isEqualTo(Outcome.NOTHING_CREATED);
      assertThat(failure)
          .hasMessageContainingAll("127.0.0.1:1/none/such:7", "docker pull", "refused");
      assertThat(scene.call.steps().getFirst().detail())
          .containsEntry("image", "127.0.0.1:1/none/such:7")
          .containsEntry("status", "started");
      assertThat(scene.platform.runFolder()).isEmptyDirectory();
    }
  }

  @Test
  void anImageIsFetchedWhereItIsMissingAndAlwaysWhereTheOperatorSaysSo() throws Exception {
    try (RegistryServer registry =
        RegistryServer.open(Files.createDirectory(home.resolve("registry")))) {
      String image = push(registry, "PATH=/first");
      try (Scene scene = new Scene(home.resolve("missing"))) {
        scene.engine.forget(image);
        scene.enter(with(image)).close();
        assertThat(scene.call.steps())
            .extracting(step -> step.detail().getOrDefault("status", ""))
            .contains("started", "Pulling from team/tool", "Pull complete", "done");
        push(registry, "PATH=/second");
        assertThat(seen(scene, image)).contains("/first");
      }
      try (Scene scene = new Scene(home.resolve("always"), Map.of("pull", "always"))) {
        scene.engine.forget(image);
        assertThat(seen(scene, image)).contains("/second");
      }
    }
  }

  private static String push(RegistryServer registry, String variable) {
    return RegistryImage.of(new Layer().folder("data"))
        .config(Map.of("Env", List.of(variable)))
        .push(registry, "team/tool", "1")
        .byTag();
  }

  /** What boxd says that it looks for programs in. */
  private static String seen(Scene scene, String image) throws Exception {
    try (Inhabitant inside = scene.enter(with(image))) {
      return String.valueOf(
          catchThrowableOfType(IOException.class, () -> inside.run("none")).getMessage());
    }
  }

  @Test
  void anImageIsNeverFetchedWhereTheOperatorSaysSo() throws Exception {
    try (Scene scene = new Scene(home, Map.of("pull", "never"))) {
      ExtensionException failure = scene.failure(with("127.0.0.1:1/none/such:7"));
      assertThat(failure.code()).isEqualTo(ErrorCode.IMAGE_PULL);
      assertThat(failure).hasMessageContaining("config.pull of ext.docker is never");
      assertThat(scene.call.steps()).isEmpty();
      scene.enter(with(SandboxRequests.IMAGE)).close();
    }
  }

  /** The Engine would take it; then a name would be any image that it has. */
  @Test
  void theIdOfAnImageIsNoNameOfIt() throws Exception {
    try (Scene scene = new Scene(home, Map.of("pull", "never"))) {
      String id =
          String.valueOf(
              scene.engine.docker().inspectImageCmd(SandboxRequests.IMAGE).exec().getId());
      for (String name : List.of(id, id.substring(7), id.substring(7, 19))) {
        assertThat(scene.failure(with(name)).code()).isEqualTo(ErrorCode.IMAGE_PULL);
      }
    }
  }

  @Test
  void onlyImagesOfTheOperatorsPatternsAreUsed() throws Exception {
    Map<String, String> config = Map.of("images", "docker.io/library/debian:*, example.org/team/*");
    try (Scene scene = new Scene(home, config)) {
      for (String image : List.of("busybox:test", "example.org/teamx/a", "debian/x:13")) {
        ExtensionException failure = scene.failure(with(image));
        assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION);
        assertThat(failure).hasMessageContainingAll(image, "config.images");
      }
    }
    try (Scene scene = new Scene(home, Map.of("images", "docker.io/sandboxer-test/busy*:l*t"))) {
      scene.enter(with(SandboxRequests.IMAGE)).close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "UPPER", "a b", "x:", "x@sha256:12", "../x", "http://x/y", "-x/;rm"})
  void whatIsNoNameIsRefused(String image) throws Exception {
    try (Scene scene = new Scene(home)) {
      assertThat(scene.failure(with(image)).code()).isEqualTo(ErrorCode.VALIDATION);
    }
  }

  @Test
  void anImageWithoutAnyFileRuns() throws Exception {
    try (Scene scene = new Scene(home)) {
      String empty = scene.engine.image(new Tar());
      try (Inhabitant inside = scene.enter(with(empty))) {
        assertThat(inside.run(Inside.BOXD, "version").out()).startsWith("boxd ");
      }
    }
  }

  @Test
  void nothingOfTheImagesOwnSettingsRuns() throws Exception {
    try (Scene scene = new Scene(home)) {
      String image =
          scene.engine.image(
              new Tar().and(scene.engine.export(SandboxRequests.IMAGE)),
              "ENV COLOUR=green",
              "ENV PATH=/opt:/bin",
              "ENV GODEBUG=http2debug=2",
              "VOLUME /data",
              "USER root",
              "WORKDIR /tmp",
              "LABEL " + Labels.INSTALLATION + "=other",
              "HEALTHCHECK --interval=1s CMD touch /tmp/healthy",
              "ENTRYPOINT [\"/bin/false\"]",
              "CMD [\"false\"]");
      ProvisionRequest request = scene.request(with(image));
      try (Inhabitant inside = scene.enter(request)) {
        // For commands, and only for them: boxd's own environment is out of reach.
        assertThat(inside.sh("echo $COLOUR $PATH; id -u; pwd").out())
            .isEqualTo("green /opt:/bin\n" + request.uid().orElseThrow() + "\n/workspace\n");
        assertThat(inside.sh("cat /proc/1/environ").err()).contains("Permission denied");
        assertThat(inside.sh("cat /proc/self/environ").out()).contains("COLOUR=green");
        assertThat(inside.sh("grep ' /data ' /proc/mounts").out())
            .startsWith("tmpfs /data tmpfs rw,nosuid,nodev");
        assertThat(inside.sh("echo x > /data/x && cat /data/x").out()).isEqualTo("x\n");
        InspectContainerResponse made =
            scene.engine.docker().inspectContainerCmd(Labels.container(request.identity())).exec();
        assertThat(made.getState().getHealth()).isNull();
        assertThat(made.getMounts()).noneMatch(mount -> mount.getName() != null);
        assertThat(made.getConfig().getLabels())
            .containsEntry(Labels.INSTALLATION, scene.platform.installation());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"tmp,/etc", "workspace,/etc", ".sandboxer,/usr", "sys,/proc", "tmp,/.sandboxer"})
  void anImageWithALinkWhereSomethingIsMountedIsRefused(String path, String target)
      throws Exception {
    try (Scene scene = new Scene(home)) {
      String image = scene.engine.image(new Tar().link(path, target));
      ProvisionRequest request = scene.request(with(image));
      try (Inhabitant inside = scene.enter(request)) {
        // Docker itself puts folders in place of some; then nothing is amiss.
        assertThat(path).isEqualTo("sys");
        assertThat(inside.run(Inside.BOXD, "version").exit()).isZero();
      } catch (ExtensionException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.VALIDATION);
        assertThat(e).hasMessageContainingAll("/" + path, "link to ");
        assertThat(e.outcome()).isInstanceOf(Outcome.Created.class);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "proc"})
  void anImageWithALinkInPlaceOfAKernelsFolderIsHarmless(String path) throws Exception {
    try (Scene scene = new Scene(home)) {
      String image = scene.engine.image(new Tar().link(path, "/workspace"));
      try (Inhabitant inside = scene.enter(with(image))) {
        assertThat(inside.run(Inside.BOXD, "version").exit()).isZero();
      }
    }
  }

  @Test
  void anImageForAnotherMachineIsRefusedByName() throws Exception {
    try (Scene scene = new Scene(home)) {
      String image = scene.engine.foreignImage("arm64");
      ExtensionException failure = scene.failure(with(image));
      assertThat(failure).hasMessageContainingAll(image, "arm64", "amd64");
      assertThat(failure.code()).isEqualTo(ErrorCode.UNSUPPORTED);
    }
  }
}
