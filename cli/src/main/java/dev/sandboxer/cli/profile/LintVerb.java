package dev.sandboxer.cli.profile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Escapes;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Says everything that is wrong with files, a line each. */
@Command(
    name = "lint",
    description = "Check files and list everything that is wrong; exit code 1 if anything is.")
final class LintVerb extends Verb {
  private static final int MAX_BYTES = 256 * 1024;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "The YAML files.")
  private List<Path> files = List.of();

  LintVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    ArrayNode problems = context().json().createArrayNode();
    ArrayNode notes = context().json().createArrayNode();
    List<Failure> unread = new ArrayList<>();
    for (Path file : files) {
      try {
        JsonNode found = lint(file, read(file));
        found.path("problems").forEach(problems::add);
        found.path("notes").forEach(notes::add);
      } catch (Unreadable e) {
        unread.add(e);
      }
    }
    if (json()) {
      ObjectNode document = context().json().createObjectNode();
      document.put("valid", problems.isEmpty()).set("problems", problems);
      document.set("notes", notes);
      print(document);
    } else {
      show("", problems);
      show("note: ", notes);
      if (problems.isEmpty() && unread.isEmpty()) {
        String right = files.size() == 1 ? "1 file is right" : files.size() + " files are right";
        context().console().result(right);
      }
    }
    unread.stream().skip(1).forEach(failure -> context().console().error(failure.text()));
    if (!unread.isEmpty()) {
      throw unread.getFirst();
    }
    return problems.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  private JsonNode lint(Path file, String text) throws InterruptedException {
    ObjectNode body = context().json().createObjectNode();
    body.put("file", file.toString()).put("yaml", text);
    return context().api().post("/v1/profiles/lint", body, Map.of()).body();
  }

  private void show(String kind, ArrayNode found) {
    for (JsonNode one : found) {
      String field = one.path("field").asText();
      context()
          .console()
          .result(
              Escapes.visible(
                  "%s%s:%d: %s%s"
                      .formatted(
                          kind,
                          one.path("file").asText(),
                          one.path("line").asInt(),
                          field.isEmpty() ? "" : field + ": ",
                          one.path("message").asText())));
    }
  }

  private static String read(Path file) {
    try {
      if (Files.isRegularFile(file) && Files.size(file) > MAX_BYTES) {
        throw new Unreadable(file + " is longer than " + MAX_BYTES + " bytes: is it a profile?");
      }
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new Unreadable(file + ": there is no such file");
    } catch (CharacterCodingException e) {
      throw new Unreadable(file + " is no text in UTF-8");
    } catch (IOException e) {
      throw new Unreadable(file + " cannot be read: " + e.getMessage());
    }
  }

  /** A file that cannot be sent; the others are looked at all the same. */
  private static final class Unreadable extends Failure {
    private static final long serialVersionUID = 1L;

    Unreadable(String message) {
      super(ExitCode.USAGE, message, null);
    }
  }
}
