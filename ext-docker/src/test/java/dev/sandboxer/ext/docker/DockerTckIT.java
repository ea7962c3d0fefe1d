package dev.sandboxer.ext.docker;

import dev.sandboxer.tck.Environment;
import dev.sandboxer.tck.ExtensionTck;
import java.nio.file.Path;

/** The promises of every extension, on real containers. */
class DockerTckIT extends ExtensionTck {

  @Override
  protected Environment environment() {
    return Environment.of(DockerProvider.class)
        .setting("host", System.getenv().getOrDefault("SANDBOXER_DOCKER_HOST", ""))
        .image(SandboxRequests.IMAGE)
        .boxd(Path.of(System.getProperty("sandboxer.boxd", "target/boxd")));
  }
}
