package dev.sandboxer.cli.copy;

import dev.sandboxer.cli.Failure;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.file.InsideFile;
import dev.sandboxer.dataplane.file.Progress;
import dev.sandboxer.dataplane.file.SandboxFiles;
import dev.sandboxer.dataplane.file.SandboxFolders;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** From this machine into a sandbox. */
final class CopyIn {
  private final SandboxFiles files;
  private final SandboxFolders folders;
  private final Links links;
  private final Progress progress;

  CopyIn(Dataplane dataplane, Progress progress) {
    this.files = new SandboxFiles(dataplane);
    this.folders = new SandboxFolders(dataplane);
    this.links = new Links(files);
    this.progress = progress;
  }

  /** The bytes of a stream become one file. */
  Copied stream(InputStream bytes, Inside to) throws InterruptedException {
    Optional<InsideFile> there = links.end(to.absolute());
    if (Ending.folder(to.path()) || there.filter(InsideFile::folder).isPresent()) {
      throw Failure.usage(
          "standard input has no name: give the file's, such as %s:%s"
              .formatted(to.sandbox(), to.child("data").absolute()));
    }
    wantParent(to);
    Counting counting = new Counting(progress);
    files.write(to.absolute(), counting.watch(bytes), "");
    return Copied.file(to.toString(), counting.total());
  }

  Copied path(String from, Inside to) throws InterruptedException {
    Path source = Path.of(from);
    if (!Files.exists(source)) {
      throw Failure.usage(from + ": there is no such file or folder on this machine");
    }
    return Files.isDirectory(source) ? folder(from, to) : file(from, to);
  }

  private Copied file(String from, Inside to) throws InterruptedException {
    if (Ending.folder(from)) {
      throw Failure.usage(from + " is a file: leave the slash out");
    }
    Inside target = target(Path.of(from), to);
    Counting counting = new Counting(progress);
    try (InputStream bytes = Files.newInputStream(Path.of(from))) {
      String mode = Files.isExecutable(Path.of(from)) ? "0755" : "";
      files.write(target.absolute(), counting.watch(bytes), mode);
    } catch (IOException e) {
      throw Failure.sandboxer(from + " cannot be read: " + e.getMessage(), e);
    }
    return Copied.file(target.toString(), counting.total());
  }

  /** Where a file goes: into a folder that is there, else under the name given. */
  private Inside target(Path source, Inside to) throws InterruptedException {
    Optional<InsideFile> there = links.end(to.absolute());
    if (there.filter(InsideFile::folder).isPresent()) {
      return to.child(name(source));
    }
    if (Ending.folder(to.path())) {
      throw Failure.sandboxer(
          to + (there.isPresent() ? " is no folder" : ": there is no such folder in the sandbox"));
    }
    if (there.isEmpty()) {
      wantParent(to);
    }
    return to;
  }

  private Copied folder(String from, Inside to) throws InterruptedException {
    Path source = real(Path.of(from));
    Optional<InsideFile> there = links.end(to.absolute());
    if (there.isEmpty()) {
      wantParent(to);
    } else if (!there.get().folder()) {
      throw Failure.sandboxer(to + " is a file, and " + from + " is a folder");
    }
    boolean itself = there.isPresent() && !Ending.contentsOnly(from);
    Inside target = itself ? to.child(name(source)) : to;
    return new Copied(target.toString(), folders.upload(source, target.absolute(), progress));
  }

  private void wantParent(Inside to) throws InterruptedException {
    Inside parent = to.parent();
    if (links.end(parent.absolute()).filter(InsideFile::folder).isEmpty()) {
      throw Failure.sandboxer(
          parent.absolute()
              + ": there is no such folder in the sandbox; make it with sandboxer exec "
              + to.sandbox()
              + " -- mkdir -p "
              + parent.absolute());
    }
  }

  private static String name(Path source) {
    Path name = real(source).getFileName();
    if (name == null) {
      throw Failure.usage("/ has no name of its own: give /. for its contents");
    }
    return source.getFileName() == null || isDots(source.getFileName())
        ? name.toString()
        : source.getFileName().toString();
  }

  private static boolean isDots(Path name) {
    return name.toString().equals(".") || name.toString().equals("..");
  }

  private static Path real(Path source) {
    try {
      return source.toRealPath();
    } catch (IOException e) {
      throw Failure.sandboxer(source + " cannot be read: " + e.getMessage(), e);
    }
  }
}
