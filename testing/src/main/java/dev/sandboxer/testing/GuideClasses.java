package dev.sandboxer.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * The extension of {@code docs/extension-guide.md}, compiled as the page has it: the sound sample,
 * from which the broken ones are made.
 */
public final class GuideClasses {
  private static final Path PAGE = Path.of("../docs/extension-guide.md");
  private static final Pattern FILE =
      Pattern.compile(
          "^```java\\n// src/main/java/(?<path>\\S+)\\n(?<code>.*?)^```$",
          Pattern.MULTILINE | Pattern.DOTALL);

  private GuideClasses() {}

  /** Compiles into a folder. */
  public static Path into(Path folder) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-d",
                folder.resolve("classes").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-proc:none"));
    Matcher file = FILE.matcher(Files.readString(PAGE));
    while (file.find()) {
      Path source = folder.resolve("src").resolve(file.group("path"));
      Files.createDirectories(source.getParent());
      arguments.add(Files.writeString(source, file.group("code")).toString());
    }
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    if (status != 0) {
      throw new IllegalStateException("the guide's code does not compile");
    }
    return folder.resolve("classes");
  }

  /** Puts the classes of a folder into a jar. */
  public static void pack(Path classes, JarOutputStream jar) throws IOException {
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        jar.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, jar);
      }
    }
  }
}
