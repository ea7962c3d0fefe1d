package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.Failure;
import java.util.List;

/** The words of a command to run inside. */
public final class Words {
  private Words() {}

  /** Without a leading {@code --}; none at all is a wrong call. */
  public static List<String> of(List<String> words, String usage) {
    List<String> command = given(words);
    if (command.isEmpty()) {
      throw Failure.usage(
          "which command? For example: sandboxer "
              + usage.replace("[OPTIONS] ", "").replace("CMD [ARG...]", "echo hello"));
    }
    return command;
  }

  /** The same; there may be none. */
  static List<String> given(List<String> words) {
    return !words.isEmpty() && words.getFirst().equals("--")
        ? words.subList(1, words.size())
        : words;
  }
}
