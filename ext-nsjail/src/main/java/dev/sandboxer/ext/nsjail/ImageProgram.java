package dev.sandboxer.ext.nsjail;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of the program {@code images}, which lies beside boxd. It works as long as its stdin is
 * open, so it ends with the platform, and removes what it has not finished.
 */
final class ImageProgram {

  private static final System.Logger LOG = System.getLogger(ImageProgram.class.getName());
  private static final String PROGRESS = "progress=";

  /** How registries are reached, as the platform's own environment has it. */
  private static final Set<String> PASSED =
      Set.of("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR");

  private final String verb;
  private final String input;
  private final Process process;

  private ImageProgram(String verb, String input, Process process) {
    this.verb = verb;
    this.input = input;
    this.process = process;
  }

  static ImageProgram start(Path program, String verb, Map<String, Object> request)
      throws ExtensionException {
    ProcessBuilder builder = new ProcessBuilder(program.toString(), verb).redirectErrorStream(true);
    builder.environment().keySet().retainAll(PASSED);
    try {
      return new ImageProgram(verb, Json.write(request) + "\n", builder.start());
    } catch (IOException e) {
      throw failed(ErrorCode.UNAVAILABLE, program + " cannot be run: " + e.getMessage(), e);
    }
  }

  /** Waits for its end; its last lines. */
  Fields run(Consumer<String> progress) throws ExtensionException {
    StringBuilder answer = new StringBuilder();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      process.getOutputStream().write(input.getBytes(UTF_8));
      process.getOutputStream().flush();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(PROGRESS)) {
          progress.accept(line.substring(PROGRESS.length()));
        } else {
          answer.append(line).append('\n');
        }
      }
      return answer(process.waitFor(), answer.toString());
    } catch (IOException e) {
      throw failed(ErrorCode.INTERNAL, "the program images gave no answer to " + verb, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(ErrorCode.IMAGE_PULL, "interrupted", e);
    } finally {
      cancel();
    }
  }

  void cancel() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "the program images has ended already", e);
    }
  }

  private Fields answer(int exit, String text) throws ExtensionException {
    Fields fields = Fields.parse(text);
    if (exit == 0) {
      return fields;
    }
    String message = fields.get("error.message");
    if (message.isEmpty()) {
      message = "the program images ended with %d: %s".formatted(exit, text.strip());
    }
    throw failed(code(fields.get("error.code")), message, null);
  }

  private static ErrorCode code(String text) {
    try {
      return ErrorCode.valueOf(text);
    } catch (IllegalArgumentException e) {
      return ErrorCode.INTERNAL;
    }
  }

  /** Whatever happens to it, no sandbox was made. */
  private static ExtensionException failed(
      ErrorCode code, String message, @Nullable Exception cause) {
    return new ExtensionException(code, Outcome.NOTHING_CREATED, message, cause);
  }
}
