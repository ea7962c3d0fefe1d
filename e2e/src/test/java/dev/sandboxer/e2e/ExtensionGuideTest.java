package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An extension written from the guide alone, outside of this build: built against the installed
 * SDK, tried by the suite, checked, dropped in and used.
 */
class ExtensionGuideTest {

  static final String PAGE = "docs/extension-guide.md";
  private static final Pattern JAVA =
      Pattern.compile("^```java\\n// (?<path>\\S+)\\n.*?^```$", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Path LOCAL_REPOSITORY =
      Path.of(
          System.getProperty(
              "localRepository", System.getProperty("user.home") + "/.m2/repository"));

  @TempDir private Path folder;

  @Test
  void theExtensionOfThePageIsBuiltTriedCheckedAndUsed() throws IOException, InterruptedException {
    Path project = folder.resolve("process-sandbox");
    writeCode(project);
    writeMirror(project.resolve(".mvn"));
    try (PageReader reader = new PageReader(folder)) {
      reader
          .prepared()
          .with("MAVEN_OPTS", "-Dmaven.repo.local=" + folder.resolve("repo"))
          .follow(PAGE);
    }
    Path sdk = folder.resolve("repo/dev/sandboxer/extension-tck/0.1.0-SNAPSHOT");
    assertThat(sdk.resolve("extension-tck-0.1.0-SNAPSHOT-sources.jar")).isRegularFile();
    assertThat(sdk.resolve("extension-tck-0.1.0-SNAPSHOT-javadoc.jar")).isRegularFile();
    assertThat(LOCAL_REPOSITORY.resolve("dev/sandboxer/extension-tck"))
        .as("the test installs into a repository of its own")
        .doesNotExist();
  }

  /** What the page has in Java is saved as it says: under the path in the first line. */
  private static void writeCode(Path project) throws IOException {
    Matcher block = JAVA.matcher(Files.readString(Guide.CHECKOUT.resolve(PAGE)));
    while (block.find()) {
      Path file = project.resolve(block.group("path"));
      Files.createDirectories(file.getParent());
      String text = block.group();
      Files.writeString(file, text.substring("```java\n".length(), text.length() - "```".length()));
    }
  }

  /** Libraries and plugins come from where this build got them, not from the network. */
  private static void writeMirror(Path options) throws IOException {
    Files.createDirectories(options);
    Path settings = options.resolve("settings.xml");
    Files.writeString(options.resolve("maven.config"), "-s\n" + settings + "\n");
    Files.writeString(
        settings,
        """
        <settings>
          <mirrors>
            <mirror><id>here</id><mirrorOf>*</mirrorOf><url>%s</url></mirror>
          </mirrors>
        </settings>
        """
            .formatted(LOCAL_REPOSITORY.toUri()));
  }
}
