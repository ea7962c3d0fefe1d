package dev.sandboxer.cli.copy;

import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place inside a sandbox, written {@code SANDBOX:PATH}.
 *
 * @param sandbox the id as written
 * @param path as written; relative to the working directory unless it begins with a slash
 */
record Inside(String sandbox, String path) {
  /** A place on this machine with a colon in its name is written with a slash before it. */
  private static final Pattern FORM = Pattern.compile("([^/:]+):(.*)", Pattern.DOTALL);

  private static final Path WORKSPACE = Path.of("/workspace");

  static Optional<Inside> of(String argument) {
    Matcher form = FORM.matcher(argument);
    return form.matches()
        ? Optional.of(new Inside(form.group(1), form.group(2).isEmpty() ? "." : form.group(2)))
        : Optional.empty();
  }

  /** The path from the root, without {@code .} and {@code ..}. */
  String absolute() {
    return WORKSPACE.resolve(path).normalize().toString();
  }

  /** Its last name; empty for the root. */
  String name() {
    Path name = Path.of(absolute()).getFileName();
    return name == null ? "" : name.toString();
  }

  /** A place in this folder. */
  Inside child(String name) {
    return new Inside(sandbox, Path.of(absolute()).resolve(name).toString());
  }

  /** The folder that it is in. */
  Inside parent() {
    Path parent = Path.of(absolute()).getParent();
    return new Inside(sandbox, parent == null ? "/" : parent.toString());
  }

  @Override
  public String toString() {
    return sandbox + ":" + path;
  }
}
