package dev.sandboxer.platform.sink;

import dev.sandboxer.loading.FolderCheck;
import dev.sandboxer.loading.RefusedException;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.installation.StartupException;
import dev.sandboxer.yaml.YamlException;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * The sinks of this node. Kinds are folders of jars in {@code $SANDBOXER_DIST/sinks}, then {@code
 * $SANDBOXER_HOME/sinks}; each {@code $SANDBOXER_HOME/sinks/NAME.yaml} is a sink.
 */
@ApplicationScoped
public class SinkRegistry {

  private static final Logger LOG = Logger.getLogger(SinkRegistry.class);
  private static final String YAML = ".yaml";

  /** Ids that other features give their sinks. */
  private static final Set<String> TAKEN = Set.of("state-hub");

  private final SinkJars jars;
  private final List<LoadedSink> all = new ArrayList<>();

  SinkRegistry(Home home, Settings settings) {
    this.jars = new SinkJars(check(settings));
    settings
        .path(Setting.SANDBOXER_DIST)
        .map(dist -> dist.toAbsolutePath().resolve("sinks"))
        .ifPresent(jars::loadAll);
    jars.loadAll(home.resolve("sinks"));
    setUpAll(home.resolve("sinks"));
    all.addAll(jars.failed());
  }

  private static FolderCheck check(Settings settings) {
    Optional<Path> list = settings.path(Setting.SANDBOXER_EXTENSION_SUMS);
    try {
      return FolderCheck.with(list);
    } catch (IOException e) {
      throw new StartupException(
          "SANDBOXER_EXTENSION_SUMS=%s cannot be read: %s".formatted(list.orElseThrow(), e), e);
    }
  }

  /**
   * Everything that was found, failed ones with their reason.
   *
   * @return sinks in order of their names, then folders of jars that failed
   */
  public List<LoadedSink> list() {
    return List.copyOf(all);
  }

  private void setUpAll(Path folder) {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (Stream<Path> files = Files.list(folder)) {
      files.filter(file -> file.toString().endsWith(YAML)).sorted().forEach(this::setUp);
    } catch (IOException e) {
      all.add(LoadedSink.failed("sinks", "", e.toString()));
    }
  }

  private void setUp(Path file) {
    String name = file.getFileName().toString();
    String id = name.substring(0, name.length() - YAML.length());
    LoadedSink sink = made(id, name, file);
    sink.reason().ifPresent(reason -> LOG.errorf("sink failed id=%s reason=%s", sink.id(), reason));
    all.add(sink);
  }

  private LoadedSink made(String id, String name, Path file) {
    String kind = "";
    try {
      checkName(id);
      FolderCheck.checkOwner(file);
      SinkFile wanted = SinkFile.parse(name, Files.readString(file));
      kind = wanted.kind();
      return made(id, wanted);
    } catch (RefusedException e) {
      return LoadedSink.failed(id, kind, String.valueOf(e.getMessage()));
    } catch (YamlException e) {
      return LoadedSink.failed(id, kind, e.sentence());
    } catch (IllegalArgumentException e) {
      return LoadedSink.failed(id, kind, name + ": " + e.getMessage());
    } catch (IOException | RuntimeException | LinkageError e) {
      return LoadedSink.failed(id, kind, e.toString());
    }
  }

  private LoadedSink made(String id, SinkFile wanted) throws RefusedException {
    SinkKind kind =
        jars.find(wanted.kind())
            .orElseThrow(
                () ->
                    new RefusedException(
                        "there is no kind of sink '%s'; there are %s"
                            .formatted(wanted.kind(), jars.names())));
    return new LoadedSink(
        id,
        wanted.kind(),
        wanted.types(),
        Optional.of(kind.create(wanted.config())),
        Optional.empty());
  }

  private static void checkName(String id) throws RefusedException {
    if (!id.matches("[a-z][a-z0-9-]{0,39}")) {
      throw new RefusedException(
          "'%s' must be a name of up to 40 lower case letters, digits and dashes".formatted(id));
    }
    if (TAKEN.contains(id)) {
      throw new RefusedException("the name '%s' is taken: choose another".formatted(id));
    }
  }
}
