package dev.sandboxer.platform.api.langbot;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The client's {@code BoxManagedProcessSpec}.
 *
 * @param processId the caller's own name for it
 * @param command program
 * @param args of the program
 * @param env of the process
 * @param cwd where it runs
 */
record ProcessSpec(
    String processId, String command, List<String> args, Map<String, String> env, String cwd) {

  private static final Set<String> FIELDS =
      Set.of("process_id", "command", "args", "env", "cwd", "memory_mb");
  private static final int LONGEST_ID = 256;

  static ProcessSpec read(Fields fields) {
    fields.only(FIELDS);
    if (fields.number("memory_mb", 0, 0) > 0) {
      throw fields.wrong(
          "memory_mb",
          "must be 0: processes share the memory of their session, which its own memory_mb sets");
    }
    String cwd = fields.optionalText("cwd").map(String::strip).orElse(SessionSpec.WORKSPACE);
    if (!cwd.startsWith("/")) {
      throw fields.wrong("cwd", "must be an absolute path inside the sandbox");
    }
    return new ProcessSpec(
        idOf(fields), fields.word("command"), fields.list("args"), fields.texts("env"), cwd);
  }

  /** The field {@code process_id}. */
  static String idOf(Fields fields) {
    String id = fields.optionalText("process_id").orElse("default");
    if (id.isEmpty() || id.length() > LONGEST_ID) {
      throw fields.wrong("process_id", "must have 1 to %d characters".formatted(LONGEST_ID));
    }
    return id;
  }

  List<String> argv() {
    return Stream.concat(Stream.of(command), args.stream()).toList();
  }
}
