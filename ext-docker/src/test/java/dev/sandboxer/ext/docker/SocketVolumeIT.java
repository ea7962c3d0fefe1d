package dev.sandboxer.ext.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A platform that sees the sockets' volume at another path than the Engine. */
class SocketVolumeIT {
  @TempDir private Path home;

  @Test
  void theSandboxIsReachedThroughTheVolume() throws Exception {
    String volume = "sbx" + System.nanoTime() % 1_000_000;
    Path here = Files.createDirectory(home.resolve("v"));
    Map<String, String> config = Map.of("socket_volume", volume, "socket_folder", here.toString());
    SandboxSpec spec = SandboxRequests.spec(SandboxRequests.IMAGE);
    try (Scene scene = new Scene(home, config)) {
      ExtensionException failure = scene.failure(spec);
      assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION);
      assertThat(failure).hasMessageContaining("docker volume create " + volume);
    }
    try (TestEngine engine = new TestEngine()) {
      String there = engine.docker().createVolumeCmd().withName(volume).exec().getMountpoint();
      run("mount", "--bind", there, here.toString());
      try (Scene scene = new Scene(home, config);
          Inhabitant inside = scene.enter(spec)) {
        assertThat(inside.sh("echo through the volume").out()).isEqualTo("through the volume\n");
        assertThat(inside.sh("ls /.sandboxer").out()).isEqualTo("boxd\nboxd.json\nrun\n");
        assertThat(scene.platform.runFolder()).isEmptyDirectory();
      } finally {
        run("umount", here.toString());
        engine.docker().removeVolumeCmd(volume).exec();
      }
    }
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }
}
