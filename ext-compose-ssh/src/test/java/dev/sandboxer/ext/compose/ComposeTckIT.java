package dev.sandboxer.ext.compose;

import dev.sandboxer.tck.Environment;
import dev.sandboxer.tck.ExtensionTck;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The promises of every extension, on projects behind a real sshd. */
class ComposeTckIT extends ExtensionTck {

  private static final String FILE =
      "services: {app: {image: '%s', command: [sleep, '1000']}}".formatted(TestMachine.IMAGE);

  private static TestMachine machine;

  @BeforeAll
  static void start() throws IOException {
    machine = new TestMachine();
  }

  @AfterAll
  static void stop() {
    machine.close();
  }

  @Override
  protected Environment environment() {
    try {
      return Environment.of(ComposeProvider.class)
          .host(machine.host(Map.of()))
          .option("service", "app")
          .option("files", Map.of("compose.yaml", FILE))
          .boxd(Path.of(System.getProperty("sandboxer.boxd", "target/boxd")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
