package dev.sandboxer.e2e;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Containers, as the Engine lists them. */
final class DockerBackend implements Backend {

  private final Engine engine;
  private final Map<String, Set<String>> seen = new ConcurrentHashMap<>();

  DockerBackend(Engine engine) {
    this.engine = engine;
  }

  @Override
  public String profile() {
    return "docker-debian";
  }

  @Override
  public String profileWithPython() {
    return "docker-python";
  }

  @Override
  public String extension() {
    return "ext.docker";
  }

  @Override
  public Set<String> objectsOf(String sandbox) {
    Map<String, String> containers = engine.containers(sandbox.substring("sb_".length()));
    seen.computeIfAbsent(sandbox, _ -> ConcurrentHashMap.newKeySet()).addAll(containers.keySet());
    return containers.values().stream().map(DockerBackend::sandboxName).collect(Collectors.toSet());
  }

  /** {@code <raw id>-<generation>-<attempt>}, with which a container's name ends. */
  private static String sandboxName(String container) {
    String[] parts = container.split("-", -1);
    return String.join("-", List.of(parts).subList(parts.length - 3, parts.length));
  }

  @Override
  public Stream<ProcessHandle> processesOf(String sandbox) {
    var _ = objectsOf(sandbox);
    Set<String> ids = seen.getOrDefault(sandbox, Set.of());
    return ProcessHandle.allProcesses()
        .filter(process -> ids.stream().anyMatch(id -> Host.inGroup(process, id)));
  }

  @Override
  public void killFromOutside(String sandbox) {
    engine.containers(sandbox.substring("sb_".length())).keySet().forEach(engine::remove);
  }

  @Override
  public String toString() {
    return "docker";
  }
}
