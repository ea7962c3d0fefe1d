package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.registry.Layer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A small root file system with a shell and Python, from this machine's own files. */
final class RootFiles {

  private static final List<String> PROGRAMS =
      List.of("sh", "cat", "ls", "id", "touch", "stat", "env", "python3");

  private RootFiles() {}

  /** Writes it as an archive; /etc/os-release says that it is no other. */
  static void write(Path archive) {
    try {
      Path own = Files.createTempDirectory("sbxr");
      Files.createDirectories(own.resolve("etc"));
      Files.writeString(own.resolve("etc/os-release"), "ID=made\n");
      Set<String> files = new TreeSet<>();
      for (String program : PROGRAMS) {
        Path real = Path.of("/usr/bin", program).toRealPath();
        files.add(real.toString().substring(1));
        Path link = Files.createDirectories(own.resolve("bin")).resolve(program);
        Files.createSymbolicLink(link, real);
        files.addAll(libraries(real));
      }
      Path python = Path.of("/usr/bin/python3").toRealPath();
      files.add("usr/lib/" + python.getFileName());
      List<String> command = new ArrayList<>(List.of("tar", "-cf", archive.toString()));
      command.addAll(List.of("--exclude=test", "--exclude=*.a", "--dereference"));
      command.addAll(List.of("-C", "/"));
      command.addAll(files);
      run(command);
      run(
          List.of(
              "tar", "-rf", archive.toString(), "--owner=0", "-C", own.toString(), "etc", "bin"));
      Platform.remove(own);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the program's loader reads, which is the loader as well. */
  private static List<String> libraries(Path program) {
    return run(List.of("ldd", program.toString()))
        .lines()
        .flatMap(line -> Stream.of(line.strip().split(" ")))
        .filter(word -> word.startsWith("/"))
        .map(path -> path.substring(1))
        .toList();
  }

  /** A layer that takes some time. */
  static Layer large(int files) {
    Layer layer = new Layer();
    for (int i = 0; i < files; i++) {
      layer.file("many/" + i / 100 + "/" + i, "content " + i);
    }
    return layer;
  }

  private static String run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(command + ": " + text).isZero();
      return text;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
