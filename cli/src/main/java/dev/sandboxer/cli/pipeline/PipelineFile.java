package dev.sandboxer.cli.pipeline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** A pipeline as it stands in a file: YAML, and so JSON as well. */
final class PipelineFile {
  private static final int MOST_BYTES = 256 << 10;
  private static final int MOST_ALIASES = 10;

  private final Context context;

  PipelineFile(Context context) {
    this.context = context;
  }

  /** Reads one with an id. */
  ObjectNode read(String path) {
    String file = path.equals("-") ? "standard input" : path;
    JsonNode content = context.json().valueToTree(load(file, text(path)));
    if (!(content instanceof ObjectNode pipeline)) {
      throw Failure.usage(file + " has no fields; a pipeline begins with \"id:\"");
    }
    if (!pipeline.path("id").isTextual()) {
      throw Failure.usage(file + " has no id; add for example \"id: support\"");
    }
    return pipeline;
  }

  private byte[] text(String file) {
    try (InputStream in =
        file.equals("-") ? context.console().streams().in() : Files.newInputStream(Path.of(file))) {
      byte[] text = in.readNBytes(MOST_BYTES + 1);
      if (text.length > MOST_BYTES) {
        throw Failure.usage(file + " is larger than " + MOST_BYTES + " bytes");
      }
      return text;
    } catch (NoSuchFileException e) {
      throw Failure.usage("there is no file " + file);
    } catch (IOException e) {
      throw Failure.usage(file + " cannot be read: " + e.getMessage());
    }
  }

  private static Object load(String file, byte[] text) {
    LoadSettings settings =
        LoadSettings.builder()
            .setLabel(file)
            .setMaxAliasesForCollections(MOST_ALIASES)
            .setCodePointLimit(MOST_BYTES)
            .build();
    try {
      return new Load(settings).loadFromString(new String(text, StandardCharsets.UTF_8));
    } catch (YamlEngineException e) {
      throw Failure.usage(file + " is not YAML: " + e.getMessage());
    }
  }
}
