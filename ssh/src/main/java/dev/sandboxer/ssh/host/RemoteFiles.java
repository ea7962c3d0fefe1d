package dev.sandboxer.ssh.host;

import dev.sandboxer.spi.Call;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshException.Kind;
import dev.sandboxer.ssh.host.ExecResult.ConnectionLost;
import dev.sandboxer.ssh.host.ExecResult.Exited;
import dev.sandboxer.ssh.host.ExecResult.Signalled;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The files of a machine, by its own programs: {@code sh}, {@code tar}, {@code dd}, {@code mv},
 * {@code rm} and {@code df}. What is being written has another name until it is whole.
 */
public final class RemoteFiles {

  private static final int BLOCK = 64 * 1024;
  private static final int TRIES = 3;
  private static final int MISSING = 3;
  private static final int EXISTS = 4;
  private static final int MOVED = 5;

  /** The last is GNU tar's, where a file found some room. */
  private static final Pattern FULL =
      Pattern.compile(
          "No space left on device|[Qq]uota exceeded|Wrote only [0-9]+ of [0-9]+ bytes");

  private static final String ROOM =
      "df -Pk -- \"$1\" | { read -r _; read -r _ all _ free _; echo \"$((free / 1024)) of $((all / 1024)) MiB are free\"; }";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}");

  /** Messages in English, whatever the user's language; private files. */
  private static final String HEAD = "LC_ALL=C; export LC_ALL; umask 077; ";

  /**
   * $1 is a folder that must be where its path says, without a link on the way; $2 what is in it.
   */
  private static final String INSIDE =
      HEAD + "cd -P -- \"$1\" || exit 3; [ \"$(pwd -P)\" = \"$1\" ] || exit 5; ";

  private final SshHost host;

  RemoteFiles(SshHost host) {
    this.host = host;
  }

  /**
   * Makes a folder and those above it, for its user alone, unless it is there.
   *
   * @param folder absolute path
   * @param call deadline and cancellation
   * @throws SshException DISK_FULL or FILE if it cannot be made; any kind if the machine cannot be
   *     reached
   */
  public void makeFolder(String folder, Call call) throws SshException {
    run(SshCommand.script(HEAD + "mkdir -p -- \"$1\"", absolute(folder)), folder, call);
  }

  /**
   * Unpacks an archive as a new folder. It appears at once with all that is in it.
   *
   * @param tar the archive; it is closed at the end
   * @param parent absolute path of the folder in which to make it; no part of it may be a link
   * @param name of the new folder
   * @param call deadline and cancellation
   * @throws SshException DISK_FULL or FILE if it cannot be made, and then it is not there; any kind
   *     if the machine cannot be reached
   */
  public void unpack(InputStream tar, String parent, String name, Call call) throws SshException {
    String script =
        INSIDE
            + "if [ -e \"$2\" ] || [ -L \"$2\" ]; then exit 4; fi; "
            + "rm -rf -- \"$2.part\" && mkdir -- \"$2.part\" || exit; "
            + "if tar -x -o -p -f - -C \"$2.part\" && mv -- \"$2.part\" \"$2\"; then exit 0; fi; "
            + "rm -rf -- \"$2.part\"; exit 1";
    run(
        SshCommand.script(script, absolute(parent), plain(name)).withStdin(tar),
        parent + "/" + name,
        call);
  }

  /**
   * Copies a file there, in place of one that is there. After a lost connection it goes on where it
   * stopped, in this call or a later one for the same content.
   *
   * @param source here; must not change meanwhile
   * @param parent absolute path of a folder; no part of it may be a link
   * @param name of the file there
   * @param call deadline and cancellation
   * @throws SshException DISK_FULL or FILE if it cannot be written; any kind if the machine cannot
   *     be reached
   */
  public void upload(Path source, String parent, String name, Call call) throws SshException {
    String part;
    long size;
    try {
      size = Files.size(source);
      // By its content: what an earlier call left is then the beginning of this same file.
      part = plain(name) + "." + sum(source).substring(0, 16) + ".part";
    } catch (IOException e) {
      throw new SshException(Kind.FILE, source + " cannot be read: " + e, e);
    }
    for (int left = TRIES; !send(source, size, absolute(parent), name, part, call); ) {
      left--;
      if (left == 0) {
        throw new SshException(
            Kind.LOST,
            "the connection to %s was lost %d times during the copy of %s"
                .formatted(host.target().server(), TRIES, name));
      }
    }
  }

  /** Sends what is missing. False if the connection was lost. */
  private boolean send(Path source, long size, String parent, String name, String part, Call call)
      throws SshException {
    String target = parent + "/" + name;
    try {
      String had =
          run(
              SshCommand.script(
                  INSIDE
                      + "if [ -f \"$2\" ] && [ ! -L \"$2\" ]; then wc -c <\"$2\"; else rm -rf -- \"$2\"; echo 0; fi",
                  parent,
                  part),
              target,
              call);
      // Whole blocks, written where they belong: a writer of a lost connection that is still
      // there writes the same to the same place.
      long blocks = Math.min(number(had), size) / BLOCK;
      try (InputStream from = Files.newInputStream(source)) {
        from.skipNBytes(blocks * BLOCK);
        run(
            SshCommand.script(
                    INSIDE
                        + "dd of=\"$2\" bs=65536 seek=\"$3\" conv=notrunc && [ $(wc -c <\"$2\") -eq \"$5\" ] && mv -f -- \"$2\" \"$4\"",
                    parent,
                    part,
                    "" + blocks,
                    name,
                    "" + size)
                .withStdin(new Kept(from)),
            target,
            call);
        return true;
      }
    } catch (SshException e) {
      if (e.kind() == Kind.LOST) {
        return false;
      }
      throw e;
    } catch (IOException e) {
      throw new SshException(Kind.FILE, source + " cannot be read: " + e, e);
    }
  }

  /**
   * Removes what has a name in a folder, with all that is in it. A link is removed itself, and what
   * it leads to stays. What is not there counts as removed.
   *
   * @param parent absolute path; no part of it may be a link
   * @param name of a file or folder in it
   * @param call deadline and cancellation
   * @throws SshException FILE if something is left; any kind if the machine cannot be reached
   */
  public void remove(String parent, String name, Call call) throws SshException {
    String script =
        HEAD
            + "[ -e \"$1\" ] || [ -L \"$1\" ] || exit 0; "
            + INSIDE
            + "rm -rf -- \"$2\" \"$2.part\"";
    run(SshCommand.script(script, absolute(parent), plain(name)), parent + "/" + name, call);
  }

  /** Runs one of the scripts; what it wrote. */
  private String run(SshCommand command, String what, Call call) throws SshException {
    ExecResult result = host.exec(command, call);
    return switch (result.end()) {
      case Exited(int code) when code == 0 -> result.stdout().text().strip();
      case Exited(int code) -> throw failure(code, result.stderr().text(), what, call);
      case Signalled(String signal) ->
          throw new SshException(
              Kind.FILE,
              "the program for %s on %s was ended by signal %s"
                  .formatted(what, host.target().server(), signal));
      case ConnectionLost() ->
          throw new SshException(
              Kind.LOST,
              "the SSH connection to %s was lost; %s may be there or not"
                  .formatted(host.target().server(), what));
    };
  }

  private SshException failure(int code, String messages, String what, Call call) {
    String place = what + " on " + host.target().server();
    if (FULL.matcher(messages).find()) {
      return new SshException(
          Kind.DISK_FULL, "no room for %s: %s".formatted(place, room(what, call)));
    }
    String why =
        switch (code) {
          case MISSING -> "it is not there";
          case EXISTS -> "it is there already";
          case MOVED -> "its folder is reached by a link, or not at the path that was given";
          default -> lastLine(messages);
        };
    return new SshException(Kind.FILE, "%s: %s".formatted(place, why));
  }

  /** How much of the disk is free; its names are as df's second line has them. */
  private String room(String what, Call call) {
    String parent = what.substring(0, Math.max(1, what.lastIndexOf('/')));
    try {
      ExecResult seen = host.exec(SshCommand.script(HEAD + ROOM, parent), call);
      return lastLine(seen.stdout().text());
    } catch (SshException e) {
      return "the disk is full";
    }
  }

  private static String lastLine(String text) {
    String stripped = text.strip();
    return stripped.substring(stripped.lastIndexOf('\n') + 1).replaceAll("\\p{Cntrl}", "?");
  }

  private static long number(String text) throws SshException {
    if (!text.matches("[0-9]{1,18}")) {
      throw new SshException(Kind.FILE, "the size of a file is '" + lastLine(text) + "'");
    }
    return Long.parseLong(text);
  }

  private static String absolute(String path) throws SshException {
    if (!path.startsWith("/") || !Path.of(path).normalize().toString().equals(path)) {
      throw new SshException(
          Kind.INVALID, "'%s' must be an absolute path without . and ..".formatted(path));
    }
    return path;
  }

  private static String plain(String name) throws SshException {
    if (!NAME.matcher(name).matches()) {
      throw new SshException(
          Kind.INVALID, "'%s' must be a name of letters, digits, '_', '.' and '-'".formatted(name));
    }
    return name;
  }

  private static String sum(Path file) throws IOException {
    try (DigestInputStream in =
        new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance("SHA-256"))) {
      in.transferTo(OutputStream.nullOutputStream());
      return HexFormat.of().formatHex(in.getMessageDigest().digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Closed by its owner alone. */
  private static final class Kept extends FilterInputStream {
    private Kept(InputStream in) {
      super(in);
    }

    @Override
    public void close() {}
  }
}
