package dev.sandboxer.ssh.host;

import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshException.Kind;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What sshd gives to the user's login shell, which must take words as POSIX says. Each argument is
 * one quoted word, so that the shell sees nothing in it. Before the program begins, a marker is
 * written to both outputs, with the id of the process: what stands before it comes from the shell's
 * start-up files.
 */
final class ShellLine {

  /** Linux gives a program no longer argument than 128 KiB. */
  private static final int MAX_BYTES = 100_000;

  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=@%+,-]+");
  private static final SecureRandom RANDOM = new SecureRandom();

  private ShellLine() {}

  static String marker() {
    byte[] bytes = new byte[12];
    RANDOM.nextBytes(bytes);
    return "sandboxer-" + HexFormat.of().formatHex(bytes);
  }

  static String of(String marker, List<String> arguments) throws SshException {
    StringBuilder line = new StringBuilder("exec sh -c ");
    line.append(quoted("echo %1$s $$; echo %1$s $$ >&2; exec \"$@\"".formatted(marker)));
    line.append(" sh");
    for (String argument : arguments) {
      if (argument.indexOf('\0') >= 0) {
        throw new SshException(Kind.INVALID, "an argument has a byte 0, which no program can get");
      }
      line.append(' ').append(quoted(argument));
    }
    String text = line.toString();
    if (text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
      throw new SshException(
          Kind.INVALID,
          "the arguments are longer than %d bytes: use standard input or a file"
              .formatted(MAX_BYTES));
    }
    return text;
  }

  private static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
