package dev.sandboxer.ext.compose.project;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.spi.Archive;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlFile;
import dev.sandboxer.yaml.YamlMap;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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

  /** Of these, Compose's own variables would choose other files, and Docker's another Engine. */
  private static final Pattern OWN_VARIABLE =
      Pattern.compile("(?m)^\\s*(export\\s+)?((COMPOSE_(?!PROFILES\\b)|DOCKER_)\\w*)");

  /** A file with its mode, a link with its target, or a folder. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Entry(byte[] content, @Nullable String link, boolean folder, boolean program) {}

  private final ProjectOptions options;
  private final Map<String, Entry> entries = new TreeMap<>();
  private final Map<String, YamlMap> read = new TreeMap<>();

  private ProjectFiles(ProjectOptions options) {
    this.options = options;
  }

  /**
   * Reads and checks the files.
   *
   * @param options of the profile
   * @param archive that {@code options.project} stands for
   * @return the files
   * @throws ExtensionException VALIDATION if one is missing, too large, or refused
   */
  public static ProjectFiles read(ProjectOptions options, Optional<Archive> archive)
      throws ExtensionException {
    ProjectFiles files = new ProjectFiles(options);
    if (options.archived()) {
      files.entries.putAll(
          ProjectArchive.read(
              archive.orElseThrow(
                  () ->
                      ProjectOptions.wrong(
                          "options.project: the sandbox has no archive; create it again"))));
    }
    options
        .files()
        .forEach(
            (name, text) ->
                files.add(
                    name, new Entry(text.getBytes(StandardCharsets.UTF_8), null, false, false)));
    files.checkFolders();
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

  /** Nothing lies below what is no folder: it would be written through a link. */
  private void checkFolders() throws ExtensionException {
    for (String name : entries.keySet()) {
      for (@Nullable Path above = Path.of(name).getParent();
          above != null;
          above = above.getParent()) {
        @Nullable Entry entry = entries.get(above.toString());
        if (entry != null && !entry.folder()) {
          throw ProjectOptions.wrong(
              "the project has %s and %s, which is no folder".formatted(name, above));
        }
      }
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
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      throw ProjectOptions.wrong("the project has no file '" + name + "'");
    }
    try {
      YamlMap map = YamlFile.read(name, text.get());
      read.put(name, map);
      return map;
    } catch (YamlException e) {
      throw ProjectOptions.wrong(e.sentence());
    }
  }

  /** The text of a plain file; empty if the project has no such file. */
  Optional<String> text(String name) {
    return Optional.ofNullable(entries.get(name))
        .filter(entry -> !entry.folder() && entry.link() == null)
        .map(entry -> new String(entry.content(), StandardCharsets.UTF_8));
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
