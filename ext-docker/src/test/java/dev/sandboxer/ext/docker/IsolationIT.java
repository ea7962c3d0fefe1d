package dev.sandboxer.ext.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.model.HostConfig;
import dev.sandboxer.ext.docker.Inhabitant.Ran;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ways out of a sandbox: each is held by the expected error, and works where nothing holds it. */
class IsolationIT {
  @TempDir private Path home;
  private Scene scene;

  @BeforeEach
  void start() throws Exception {
    scene = new Scene(home);
  }

  @AfterEach
  void end() {
    scene.close();
  }

  private static SandboxSpec spec(Mount... mounts) {
    return SandboxRequests.spec(SandboxRequests.IMAGE, mounts);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "touch /x ~ Read-only file system",
        "echo 127.0.0.1 other >> /etc/hosts ~ Permission denied",
        "mount -t tmpfs x /tmp/mnt ~ permission denied",
        "mknod /tmp/disk b 7 0 ~ Operation not permitted",
        "f=/proc/sys/kernel/core_pattern; cat $f > $f ~ Read-only file system",
        "mkdir /sys/fs/cgroup/pids/x && rmdir /sys/fs/cgroup/pids/x ~ Read-only file system",
        "chroot / true ~ Operation not permitted",
        "unshare -m true ~ Operation not permitted",
        "renice -n -5 -p $$ ~ Operation not permitted",
        "ls /proc/1/fd ~ Permission denied",
        "head -c1 /proc/kallsyms > /tmp/k; test -s /tmp/k || { echo covered >&2; false; } ~ covered",
        "tail -n +3 /proc/net/dev | grep -q -v lo: || { echo only lo >&2; false; } ~ only lo",
      })
  void heldByItsError(String script, String error) throws Exception {
    try (Inhabitant inside = scene.enter(spec())) {
      Ran ran = inside.sh("mkdir -p /tmp/mnt; " + script);
      assertThat(ran.exit()).as(ran.toString()).isNotZero();
      assertThat(ran.err()).contains(error);
    }
    assertThat(scene.engine.allowed("mkdir -p /tmp/mnt; " + script)).as("the control").isTrue();
  }

  @Test
  void knowsItselfByNameAndHearsItself() throws Exception {
    try (Inhabitant inside = scene.enter(spec())) {
      assertThat(inside.sh("cat /etc/hosts").out()).startsWith("127.0.0.1\tlocalhost\n127.0.1.1\t");
      Ran heard =
          inside.sh(
              "echo hello > /tmp/hello; nc -l -p 8080 < /tmp/hello & "
                  + "for i in $(seq 600); do nc localhost 8080 </dev/null && break; sleep 0.1; done");
      assertThat(heard.out()).as(heard.toString()).isEqualTo("hello\n");
    }
  }

  @Test
  void itsProcessesHaveNothing() throws Exception {
    ProvisionRequest request = scene.request(spec());
    try (Inhabitant inside = scene.enter(request)) {
      String uid = String.valueOf(request.uid().orElseThrow());
      assertThat(inside.sh("id -u; id -g; id -G").out())
          .isEqualTo(uid + "\n" + uid + "\n" + uid + "\n");
      String status = inside.sh("cat /proc/self/status").out();
      assertThat(status)
          .containsPattern("CapPrm:\\s0000000000000000")
          .containsPattern("CapEff:\\s0000000000000000")
          .containsPattern("CapBnd:\\s0000000000000000")
          .containsPattern("NoNewPrivs:\\s1")
          .containsPattern("Seccomp:\\s2")
          .containsPattern("Seccomp_filters:\\s3");
      assertThat(inside.sh("cat /proc/self/limits").out())
          .containsPattern("Max core file size +1 +1 ")
          .containsPattern("Max open files +256 +256 ");
      assertThat(inside.sh("ls /proc/self/fd").out()).isEqualTo("0\n1\n2\n3\n");
      assertThat(inside.sh("kill -9 1; kill -0 1; echo $?").out()).isEqualTo("0\n");
      assertThat(inside.sh("cat /proc/self/cgroup").out()).doesNotContain("docker");
    }
  }

  @Test
  void theEnginesFilterIsThereBeforeBoxds() throws Exception {
    ProvisionRequest request = scene.request(spec());
    try (Inhabitant _ = scene.enter(request)) {
      HostConfig host =
          scene
              .engine
              .docker()
              .inspectContainerCmd(Labels.container(request.identity()))
              .exec()
              .getHostConfig();
      assertThat(host.getSecurityOpts()).anyMatch(option -> option.startsWith("seccomp={"));
      assertThat(host.getCapAdd()).isNull();
      assertThat(host.getMemory()).isEqualTo(host.getMemorySwap());
    }
  }

  @Test
  void itsLimitsHold() throws Exception {
    try (Inhabitant inside = scene.enter(spec())) {
      String fill = "dd if=/dev/zero of=%s/x bs=1M count=%d";
      assertThat(inside.sh(fill.formatted("/workspace", 12)).exit()).isZero();
      assertThat(inside.sh(fill.formatted("/workspace", 17)).err()).contains("No space left");
      assertThat(inside.sh("rm /workspace/x; " + fill.formatted("/tmp", 7)).exit()).isZero();
      assertThat(inside.sh(fill.formatted("/tmp", 9)).err()).contains("No space left");
      assertThat(inside.sh("rm /tmp/x; " + fill.formatted("/dev/shm", 9)).err())
          .contains("No space left");
      assertThat(
              inside
                  .sh("rm /dev/shm/x; i=0; while : > /tmp/f$i; do i=$((i+1)); done; rm -f /tmp/f*")
                  .err())
          .contains("No space left");
      assertThat(inside.sh("dd if=/dev/zero of=/dev/null bs=20M count=1").exit()).isZero();
      assertThat(inside.sh("dd if=/dev/zero of=/dev/null bs=200M count=1").exit()).isNotZero();
      String crowd =
          "trap 'kill $all; wait' EXIT; while [ ${#all} -lt 900 ]; do sleep 60 & all=\"$all $!\"; done";
      assertThat(inside.sh(crowd).err()).contains("can't fork: Resource temporarily unavailable");
      assertThat(inside.sh("echo still here").out()).isEqualTo("still here\n");
    }
  }

  @Test
  void itsSocketIsOutOfItsReach() throws Exception {
    ProvisionRequest request = scene.request(spec());
    try (Inhabitant inside = scene.enter(request)) {
      assertThat(inside.sh("ls -A /.sandboxer/run | wc -l").exit()).isZero();
      assertThat(inside.sh("touch /.sandboxer/run/s").err()).contains("Permission denied");
      assertThat(inside.sh("ln -s /x /.sandboxer/run/s").err()).contains("Permission denied");
      assertThat(inside.sh("echo x > /.sandboxer/boxd").err())
          .containsAnyOf("Read-only file system", "Permission denied");
      assertThat(inside.sh("echo x > /.sandboxer/boxd.json").err())
          .containsAnyOf("Read-only file system", "Permission denied");
      assertThat(inside.sh("mv /.sandboxer/run /.sandboxer/gone").exit()).isNotZero();
      Folders folders = new Folders(scene.platform.runFolder());
      Path socket = folders.socket(request.identity());
      assertThat(Files.getAttribute(socket, "unix:uid", LinkOption.NOFOLLOW_LINKS))
          .isEqualTo(request.uid().orElseThrow());
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(folders.shared(request.identity()))))
          .isEqualTo("rwx--x--x");
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(folders.of(request.identity()))))
          .isEqualTo("rwx------");
    }
  }

  @Test
  void foldersOfTheHostAreMountedAsAskedFor() throws Exception {
    Path readable = Files.createDirectory(home.resolve("readable"));
    Path writable = Files.createDirectory(home.resolve("writable"));
    Files.writeString(readable.resolve("a"), "from the host\n");
    Files.setPosixFilePermissions(writable, PosixFilePermissions.fromString("rwxrwxrwx"));
    run("mknod", "-m", "666", writable.resolve("disk").toString(), "b", "7", "0");
    SandboxSpec spec =
        spec(
            new Mount.HostFolder(readable.toString(), "/in", false),
            new Mount.HostFolder(writable.toString(), "/workspace", true),
            new Mount.Tmpfs(1 << 20, "/scratch"));
    try (Inhabitant inside = scene.enter(spec)) {
      assertThat(inside.sh("cat /in/a").out()).isEqualTo("from the host\n");
      assertThat(inside.sh("touch /in/b").err()).contains("Read-only file system");
      assertThat(inside.sh("echo out > /workspace/b; cat /workspace/b").out()).isEqualTo("out\n");
      assertThat(writable.resolve("b")).hasContent("out\n");
      assertThat(inside.sh("dd if=/dev/zero of=/scratch/x bs=1M count=2").err())
          .contains("No space left");
      // A device on a mounted folder cannot be opened, by whoever's rights.
      assertThat(inside.sh("cat /workspace/disk").err()).contains("Operation not permitted");
    }
  }

  @Test
  void mountsThatWouldHandOverTheMachineAreRefused() throws Exception {
    Path outer = Files.createDirectory(home.resolve("outer"));
    Path inner = Files.createDirectory(outer.resolve("inner"));
    Path link = Files.createSymbolicLink(home.resolve("link"), outer);
    run("mount", "-t", "tmpfs", "none", inner.toString());
    try {
      refused(new Mount.HostFolder(outer.toString(), "/in", false), inner.toString());
    } finally {
      run("umount", inner.toString());
    }
    refused(new Mount.HostFolder(link.toString(), "/in", false), "is not a folder");
    refused(new Mount.HostFolder(outer + "/none", "/in", false), "is not a folder");
    Path socket = DockerPlatform.socket();
    refused(
        new Mount.HostFolder(socket.resolveSibling(".").normalize().toString(), "/in", false),
        socket.toString());
    refused(new Mount.HostFolder("/", "/in", false), socket.toString());
    refused(
        new Mount.HostFolder(scene.platform.runFolder().toString(), "/in", true),
        "hand the machine");
    for (String target : new String[] {"/", "/proc/x", "/dev", "/.sandboxer/run", "/a/../dev"}) {
      refused(new Mount.HostFolder(outer.toString(), target, false), target);
    }
    scene.enter(spec(new Mount.HostFolder(outer.toString(), "/in", false))).close();
  }

  private void refused(Mount mount, String why) {
    ExtensionException failure = scene.failure(spec(mount));
    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION);
    assertThat(failure).hasMessageContaining(why);
  }

  private static void run(String... command) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }
}
