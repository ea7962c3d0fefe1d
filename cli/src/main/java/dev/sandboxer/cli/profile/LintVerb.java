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
    for (Path file : files) {
      problems.addAll(problems(file));
    }
    if (json()) {
      ObjectNode document = context().json().createObjectNode();
      document.put("valid", problems.isEmpty()).set("problems", problems);
      print(document);
    } else {
      tell(problems);
    }
    return problems.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  private ArrayNode problems(Path file) throws InterruptedException {
    ObjectNode body = context().json().createObjectNode();
    body.put("file", file.toString()).put("yaml", read(file));
    JsonNode found = context().api().post("/v1/profiles/lint", body, Map.of()).body();
    return found.path("problems").isArray()
        ? (ArrayNode) found.path("problems")
        : context().json().createArrayNode();
  }

  private void tell(ArrayNode problems) {
    for (JsonNode problem : problems) {
      String field = problem.path("field").asText();
      context()
          .console()
          .result(
              Escapes.visible(
                  "%s:%d: %s%s"
                      .formatted(
                          problem.path("file").asText(),
                          problem.path("line").asInt(),
                          field.isEmpty() ? "" : field + ": ",
                          problem.path("message").asText())));
    }
    if (problems.isEmpty()) {
      context()
          .console()
          .result(files.size() == 1 ? "1 file is right" : files.size() + " files are right");
    }
  }

  private static String read(Path file) {
    try {
      if (Files.isRegularFile(file) && Files.size(file) > MAX_BYTES) {
        throw Failure.usage(file + " is longer than " + MAX_BYTES + " bytes: is it a profile?");
      }
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw Failure.usage(file + ": there is no such file");
    } catch (CharacterCodingException e) {
      throw Failure.usage(file + " is no text in UTF-8");
    } catch (IOException e) {
      throw Failure.usage(file + " cannot be read: " + e.getMessage());
    }
  }
}
