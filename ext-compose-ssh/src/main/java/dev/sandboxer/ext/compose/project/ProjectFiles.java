package dev.sandboxer.ext.compose.project;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlFile;
import dev.sandboxer.yaml.YamlMap;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The files of a project, read once: what is checked is what is sent. */
public final class ProjectFiles {

  /** Below the folder of a sandbox. */
  public static final String PROJECT = "project";

  /** What must answer before the sandbox is ready, there as well. */
  public static final String READY = "ready.json";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST_BYTES = 64 * 1024 * 1024;
  private static final int MOST_FILES = 10_000;
  private static final Pattern PLAIN_LINK =
      Pattern.compile("(\\.\\./)*(\\.\\.|(?!.*(^|/)\\.\\.(/|$)).*)");

  /** Of these, Compose's own variables would choose other files, and Docker's another Engine. */
  private static final Pattern OWN_VARIABLE =
      Pattern.compile("(?m)^\\s*(export\\s+)?((COMPOSE_(?!PROFILES\\b)|DOCKER_)\\w*)");

  /** A file with its mode, a link with its target, or a folder. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Entry(byte[] content, @Nullable String link, boolean folder, boolean program) {}

  private final ProjectOptions options;
  private final Map<String, Entry> entries = new TreeMap<>();
  private final Map<String, YamlMap> read = new TreeMap<>();
  private long bytes;

  private ProjectFiles(ProjectOptions options) {
    this.options = options;
  }

  /**
   * Reads and checks the files.
   *
   * @param options of the profile
   * @param roots folders that the operator lets projects stand in
   * @return the files
   * @throws ExtensionException VALIDATION if one is missing, too large, or refused
   */
  public static ProjectFiles read(ProjectOptions options, List<Path> roots)
      throws ExtensionException {
    ProjectFiles files = new ProjectFiles(options);
    if (options.folder().isPresent()) {
      files.addFolder(allowed(options.folder().get(), roots));
    }
    options
        .files()
        .forEach(
            (name, text) ->
                files.add(
                    name, new Entry(text.getBytes(StandardCharsets.UTF_8), null, false, false)));
    files.checkVariables();
    new ReadFiles(files).check(options.file());
    return files;
  }

  private void checkVariables() throws ExtensionException {
    @Nullable Entry own = entries.get(".env");
    if (own != null && (own.link() != null || own.folder())) {
      throw ProjectOptions.wrong(".env must be a file");
    }
    String text = own == null ? "" : new String(own.content(), StandardCharsets.UTF_8);
    Matcher variable =
        OWN_VARIABLE.matcher(text + "\n" + String.join("\n", options.env().keySet()));
    if (variable.find()) {
      throw ProjectOptions.wrong("a project cannot set " + variable.group(2));
    }
  }

  private static Path allowed(Path folder, List<Path> roots) throws ExtensionException {
    try {
      Path real = folder.toRealPath();
      if (roots.stream().noneMatch(real::startsWith)) {
        throw ProjectOptions.wrong(
            "options.project: %s is not below a folder of SANDBOXER_EXT_COMPOSE_SSH_PROJECTS, in which the operator lets projects stand"
                .formatted(folder));
      }
      return real;
    } catch (IOException e) {
      throw ProjectOptions.wrong("options.project: %s cannot be read: %s".formatted(folder, e));
    }
  }

  private void addFolder(Path folder) throws ExtensionException {
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
              if (!path.equals(folder)) {
                add(folder.relativize(path).toString(), new Entry(new byte[0], null, true, false));
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path path, BasicFileAttributes attributes)
                throws IOException {
              addFile(folder.relativize(path).toString(), path, attributes);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw ProjectOptions.wrong("options.project: %s: %s".formatted(folder, e.getMessage()));
    }
  }

  private void addFile(String name, Path path, BasicFileAttributes attributes) throws IOException {
    if (attributes.isSymbolicLink()) {
      Path target = Files.readSymbolicLink(path);
      Path within = Path.of("/p/" + name).resolveSibling(target).normalize();
      // What climbs after it went through a folder may have gone through a link.
      if (target.isAbsolute()
          || !within.startsWith("/p")
          || !PLAIN_LINK.matcher(target.toString()).matches()) {
        throw new IOException(name + " is a link to " + target + ", outside of the project");
      }
      add(name, new Entry(new byte[0], target.toString(), false, false));
    } else if (attributes.isRegularFile()) {
      bytes += attributes.size();
      if (bytes > MOST_BYTES || entries.size() >= MOST_FILES) {
        throw new IOException(
            "a project has at most %d MiB and %d files".formatted(MOST_BYTES >> 20, MOST_FILES));
      }
      boolean program =
          Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS)
              .contains(PosixFilePermission.OWNER_EXECUTE);
      add(name, new Entry(Files.readAllBytes(path), null, false, program));
    } else {
      throw new IOException(name + " is neither a file, a folder nor a link");
    }
  }

  private void add(String name, Entry entry) {
    entries.put(name, entry);
  }

  /** A YAML file of the project that Compose will read. */
  YamlMap yaml(String name) throws ExtensionException {
    @Nullable YamlMap known = read.get(name);
    if (known != null) {
      return known;
    }
    @Nullable Entry entry = entries.get(name);
    if (entry == null || entry.folder() || entry.link() != null) {
      throw ProjectOptions.wrong("the project has no file '" + name + "'");
    }
    try {
      YamlMap map = YamlFile.read(name, new String(entry.content(), StandardCharsets.UTF_8));
      read.put(name, map);
      return map;
    } catch (YamlException e) {
      throw ProjectOptions.wrong(e.sentence());
    }
  }

  /**
   * What Compose reads.
   *
   * @return its options
   */
  public ProjectOptions options() {
    return options;
  }

  /** The main file, for the places of mistakes. */
  YamlMap main() throws ExtensionException {
    return yaml(options.file());
  }

  /**
   * All that a sandbox's folder has at first.
   *
   * @param signature of the identity
   * @param config of boxd
   * @return an archive
   * @throws ExtensionException VALIDATION for variables that cannot be written
   */
  public byte[] archive(String signature, byte[] config) throws ExtensionException {
    Tar tar = new Tar();
    tar.file("signature", 0600, signature.getBytes(StandardCharsets.US_ASCII));
    tar.file("env", 0600, options.envFile().getBytes(StandardCharsets.UTF_8));
    tar.file("boxd.json", 0644, config);
    tar.file(READY, 0600, readyFile());
    tar.folder(Effective.LOGS, 0755);
    tar.folder("run", 0700);
    tar.folder("run/in", 0777);
    tar.folder(PROJECT, 0755);
    for (String folder : folders()) {
      tar.folder(PROJECT + "/" + folder, 0755);
    }
    entries.forEach(
        (name, entry) -> {
          if (entry.link() != null) {
            tar.link(PROJECT + "/" + name, entry.link());
          } else if (!entry.folder()) {
            tar.file(PROJECT + "/" + name, entry.program() ? 0755 : 0644, entry.content());
          }
        });
    return tar.end();
  }

  private byte[] readyFile() {
    try {
      return JSON.writeValueAsBytes(options.ready());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("texts and numbers are JSON", e);
    }
  }

  private List<String> folders() {
    List<String> all = new ArrayList<>();
    entries.forEach(
        (name, entry) -> {
          Optional<Path> folder =
              Optional.ofNullable(entry.folder() ? Path.of(name) : Path.of(name).getParent());
          for (; folder.isPresent(); folder = folder.map(Path::getParent)) {
            all.add(folder.get().toString());
          }
        });
    return all.stream().distinct().sorted().toList();
  }
}
