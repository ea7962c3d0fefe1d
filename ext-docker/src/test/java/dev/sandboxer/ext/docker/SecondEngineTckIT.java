package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.HostRef;
import dev.sandboxer.tck.Environment;
import dev.sandboxer.tck.ExtensionTck;
import dev.sandboxer.testing.PrivateDockerd;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The promises of every extension, on an Engine that is not the one of its settings. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfEnvironmentVariable(named = "SANDBOXER_TEST_DOCKERD", matches = ".+")
class SecondEngineTckIT extends ExtensionTck {

  private PrivateDockerd dockerd;

  @BeforeAll
  void start() throws IOException {
    dockerd = PrivateDockerd.start();
    dockerd.copyImage("unix://" + DockerPlatform.socket(), SandboxRequests.IMAGE);
  }

  @AfterAll
  void end() {
    dockerd.close();
  }

  @Override
  protected Environment environment() {
    return Environment.of(DockerProvider.class)
        .setting("host", "unix:///nowhere/docker.sock")
        .host(new HostRef("engine-2", dockerd.host()))
        .image(SandboxRequests.IMAGE)
        .boxd(Path.of(System.getProperty("sandboxer.boxd", "target/boxd")));
  }
}
