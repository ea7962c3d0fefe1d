package dev.sandboxer.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Markdown page whose commands are run: blocks {@code sh}, each with the output that a block
 * {@code text} right after it promises. Blocks {@code sh docker} are run where an engine answers,
 * blocks {@code sh norun: REASON} are not. A profile on the page, a block {@code yaml} with an id,
 * is saved where the platform looks for it, as the reader does.
 */
record Guide(Path file, List<Block> blocks) {

  /** The folder of the whole project: tests run in that of their module. */
  static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern FENCED =
      Pattern.compile(
          "^```(?<kind>sh|sh docker|yaml)\\n(?<code>.*?)^```\\n(?:```text\\n(?<output>.*?)^```$)?",
          Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern PROFILE =
      Pattern.compile("^id: profile\\.(?<name>\\S+)$", Pattern.MULTILINE);

  static Guide read(Path file) {
    String text = textOf(file);
    List<Block> blocks = new ArrayList<>();
    Matcher found = FENCED.matcher(text);
    while (found.find()) {
      int line = 1 + (int) text.substring(0, found.start()).lines().count();
      Optional<ExpectedOutput> expected =
          Optional.ofNullable(found.group("output")).map(ExpectedOutput::new);
      commands(found.group("kind"), found.group("code"))
          .map(code -> new Block(line, code, expected))
          .ifPresent(blocks::add);
    }
    return new Guide(file, List.copyOf(blocks));
  }

  static String textOf(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Optional<String> commands(String kind, String code) {
    return switch (kind) {
      case "yaml" -> saved(code);
      case "sh docker" -> Backends.docker().map(_ -> code);
      default -> Optional.of(code);
    };
  }

  private static Optional<String> saved(String yaml) {
    Matcher profile = PROFILE.matcher(yaml);
    return profile.find()
        ? Optional.of(
            """
            (umask 077 && mkdir -p ~/.sandboxer/profiles)
            cat > ~/.sandboxer/profiles/%s.yaml <<'END OF PROFILE'
            %sEND OF PROFILE
            """
                .formatted(profile.group("name"), yaml))
        : Optional.empty();
  }

  /** One shell script of all blocks, in order, that ends at the first failing command. */
  String script() {
    StringBuilder script = new StringBuilder("set -e\n");
    for (Block block : blocks) {
      script.append("echo '").append(block.marker()).append("'\n").append(block.code());
    }
    return script.append("echo '").append(Block.END).append("'\n").toString();
  }

  /** Commands, where they stand, and what they print. */
  record Block(int line, String code, Optional<ExpectedOutput> expected) {

    static final String END = "@@ the end of the page";

    String marker() {
      return "@@ the block at line " + line;
    }

    /** What this block printed, of everything that the script printed; empty if it never began. */
    Optional<String> outputIn(String all) {
      int start = all.indexOf(marker() + "\n");
      if (start < 0) {
        return Optional.empty();
      }
      String rest = all.substring(start + marker().length() + 1);
      int end = rest.indexOf("@@ the ");
      return Optional.of(end < 0 ? rest : rest.substring(0, end));
    }
  }
}
