package dev.sandboxer.cli.copy;

import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.file.InsideFile;
import dev.sandboxer.dataplane.file.Progress;
import dev.sandboxer.dataplane.file.SandboxFiles;
import dev.sandboxer.dataplane.file.SandboxFolders;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/**
 * From a sandbox to this machine. What comes is hostile: names are the caller's own or go through
 * the unpacking that lets nothing out of its folder.
 */
final class CopyOut {
  private static final int PIPE = 13;

  private final SandboxFiles files;
  private final SandboxFolders folders;
  private final Links links;
  private final Progress progress;

  CopyOut(Dataplane dataplane, Progress progress) {
    this.files = new SandboxFiles(dataplane);
    this.folders = new SandboxFolders(dataplane);
    this.links = new Links(files);
    this.progress = progress;
  }

  /** A file as its bytes, a folder as tar. */
  Copied stream(Inside from, OutputStream to) throws InterruptedException {
    InsideFile source = source(from);
    try {
      long bytes =
          source.folder()
              ? folders.downloadTar(source.path(), to, progress)
              : files.read(source.path(), to, progress);
      to.flush();
      return Copied.file("-", bytes);
    } catch (IOException e) {
      throw e.getMessage() != null && e.getMessage().contains("Broken pipe")
          ? new Failure(ExitCode.bySignal(PIPE), "standard output was closed", e)
          : failed(from, e);
    }
  }

  Copied path(Inside from, String to) throws InterruptedException {
    InsideFile source = source(from);
    return source.folder() ? folder(from, source, to) : file(from, source, to);
  }

  private InsideFile source(Inside from) throws InterruptedException {
    InsideFile source =
        links
            .end(from.absolute())
            .orElseThrow(
                () -> Failure.sandboxer(from + ": there is no such file or folder in the sandbox"));
    if (!source.folder() && Ending.folder(from.path())) {
      throw Failure.usage(from + " is a file: leave the slash out");
    }
    return source;
  }

  private Copied file(Inside from, InsideFile source, String to) throws InterruptedException {
    Path target = fileTarget(from, to);
    Path beside = beside(target);
    try {
      long bytes;
      try (OutputStream out = Files.newOutputStream(beside, openOptions(beside, target))) {
        bytes = files.read(source.path(), out, progress);
      }
      if (beside.equals(target)) {
        return Copied.file(target.toString(), bytes);
      }
      if (source.executable()) {
        makeExecutable(beside);
      }
      Files.move(beside, target, StandardCopyOption.REPLACE_EXISTING);
      return Copied.file(target.toString(), bytes);
    } catch (IOException e) {
      throw failed(from, e);
    } finally {
      if (!beside.equals(target)) {
        remove(beside);
      }
    }
  }

  /** A device or pipe is written to as it is; a file is replaced in one step by one made beside. */
  private static Path beside(Path target) {
    return Files.exists(target) && !Files.isRegularFile(target)
        ? target
        : target.resolveSibling(
            ".%s.%d.part".formatted(target.getFileName(), ProcessHandle.current().pid()));
  }

  private static OpenOption[] openOptions(Path beside, Path target) {
    return beside.equals(target)
        ? new OpenOption[] {StandardOpenOption.WRITE}
        : new OpenOption[] {StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW};
  }

  private static Path fileTarget(Inside from, String to) {
    Path target = Path.of(to);
    if (Files.isDirectory(target)) {
      Path inFolder = target.resolve(from.name());
      if (Files.isDirectory(inFolder, LinkOption.NOFOLLOW_LINKS)) {
        throw Failure.usage(inFolder + " is a folder, and " + from + " is a file");
      }
      return inFolder;
    }
    if (Ending.folder(to)) {
      throw Failure.usage(
          to + (Files.exists(target) ? " is no folder" : ": there is no such folder"));
    }
    wantParent(target);
    return target;
  }

  private Copied folder(Inside from, InsideFile source, String to) throws InterruptedException {
    Path target = Path.of(to);
    if (Files.exists(target) && !Files.isDirectory(target)) {
      throw Failure.usage(to + " is a file, and " + from + " is a folder");
    }
    boolean itself = Files.exists(target) && !Ending.contentsOnly(from.path());
    if (!Files.exists(target)) {
      wantParent(target);
    }
    Path folder = itself ? target.resolve(from.name()) : target;
    if (Files.isSymbolicLink(folder) && itself) {
      throw Failure.usage(
          folder + " is a link: what comes out of a sandbox is not written through one");
    }
    return new Copied(folder.toString(), folders.download(source.path(), folder, progress));
  }

  private static void wantParent(Path target) {
    Path parent = target.toAbsolutePath().normalize().getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      throw Failure.usage(parent + ": there is no such folder on this machine");
    }
  }

  private static void makeExecutable(Path path) throws IOException {
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
    permissions.add(PosixFilePermission.OWNER_EXECUTE);
    Files.setPosixFilePermissions(path, permissions);
  }

  private static void remove(Path beside) {
    try {
      Files.deleteIfExists(beside);
    } catch (IOException e) {
      // told already: whatever keeps it from being removed kept it from being written
    }
  }

  private static Failure failed(Inside from, IOException e) {
    return Failure.sandboxer("copying " + from + " out failed: " + e.getMessage(), e);
  }
}
