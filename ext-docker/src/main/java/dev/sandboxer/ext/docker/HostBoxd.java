package dev.sandboxer.ext.docker;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Outcome;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs {@code boxd volume <verb>} on this machine, one short process a call. */
final class HostBoxd {

  private final ExtensionContext context;

  HostBoxd(ExtensionContext context) {
    this.context = context;
  }

  /** What the verb prints, as names and values. */
  Properties volume(Call call, String... verb) throws ExtensionException {
    List<String> command =
        Stream.concat(Stream.of(binary().toString(), "volume"), Arrays.stream(verb)).toList();
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    try {
      Process process = builder.start();
      call.onCancel(process::destroyForcibly);
      process.getOutputStream().close();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return answer(verb[0], process.waitFor(), text);
    } catch (IOException e) {
      throw broken(verb[0], e.toString(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw broken(verb[0], "interrupted", e);
    }
  }

  private Path binary() throws ExtensionException {
    String arch = System.getProperty("os.arch", "");
    String name = arch.equals("x86_64") ? "amd64" : arch.equals("aarch64") ? "arm64" : arch;
    try {
      return context.boxd("linux", name);
    } catch (IllegalArgumentException e) {
      throw new ExtensionException(
          ErrorCode.UNSUPPORTED, Outcome.NOTHING_CREATED, "no boxd for this machine", e);
    }
  }

  private static Properties answer(String verb, int exit, String text)
      throws ExtensionException, IOException {
    Properties fields = new Properties();
    fields.load(new StringReader(text));
    if (exit == 0) {
      return fields;
    }
    String code = fields.getProperty("error.code", "");
    if (code.isEmpty()) {
      throw broken(verb, "exit " + exit + ": " + text.strip(), null);
    }
    boolean left = Boolean.parseBoolean(fields.getProperty("error.left"));
    throw new ExtensionException(
        code(code),
        left ? Outcome.UNKNOWN : Outcome.NOTHING_CREATED,
        fields.getProperty("error.message", ""),
        null);
  }

  private static ErrorCode code(String code) {
    try {
      return ErrorCode.valueOf(code);
    } catch (IllegalArgumentException e) {
      return ErrorCode.INTERNAL;
    }
  }

  private static ExtensionException broken(String verb, String detail, @Nullable Throwable cause) {
    return new ExtensionException(
        ErrorCode.INTERNAL,
        Outcome.UNKNOWN,
        "boxd volume " + verb + " gave no answer: " + detail,
        cause);
  }
}
