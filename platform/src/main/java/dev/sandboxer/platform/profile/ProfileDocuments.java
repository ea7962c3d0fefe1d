package dev.sandboxer.platform.profile;

import dev.sandboxer.yaml.YamlException;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/** A profile in its own language with everything that applies: all layers, all silent values. */
@ApplicationScoped
public class ProfileDocuments {

  /**
   * The whole document.
   *
   * @param recipe of the profile
   * @return keys and values of the language; inputs stand as <code>${inputs.name}</code>
   */
  public Map<String, Object> of(ProfileRecipe recipe) {
    Map<String, Object> said = said(recipe);
    Profile profile = recipe.profile();
    Map<String, Object> all = new LinkedHashMap<>();
    ProfileParser.KEYS.forEach(key -> all.put(key, said.getOrDefault(key, "")));
    all.remove("extends");
    Map<String, Object> resources = ResourcesParser.silent();
    resources.putAll(section(said, "resources"));
    all.put("resources", resources);
    Map<String, Object> isolation = new LinkedHashMap<>();
    isolation.put("level", profile.isolation().name().toLowerCase(java.util.Locale.ROOT));
    isolation.putAll(section(said, "isolation"));
    all.put("isolation", isolation);
    all.put("network", said.getOrDefault("network", Map.of("mode", "none")));
    all.put("ttl", said.getOrDefault("ttl", Units.text(profile.ttl())));
    all.put("idle", said.getOrDefault("idle", Units.text(profile.idle())));
    all.put("hard_ttl", said.getOrDefault("hard_ttl", Units.text(profile.hardTtl())));
    all.put("on_idle", said.getOrDefault("on_idle", "destroy"));
    all.put("on_lost", said.getOrDefault("on_lost", "wait"));
    all.values().removeIf(""::equals);
    return all;
  }

  /**
   * The same without folders of the host, for those who do not operate it.
   *
   * @param recipe of the profile
   * @return keys and values of the language
   */
  public Map<String, Object> withoutHostPaths(ProfileRecipe recipe) {
    Map<String, Object> all = of(recipe);
    if (all.get("mounts") instanceof List<?> mounts) {
      all.put("mounts", mounts.stream().map(ProfileDocuments::withoutHostPath).toList());
    }
    return all;
  }

  private static Object withoutHostPath(Object mount) {
    if (!(mount instanceof Map<?, ?> keys)) {
      return mount;
    }
    Map<Object, Object> rest = new LinkedHashMap<>(keys);
    rest.remove("host_path");
    return rest;
  }

  /**
   * A document as a file.
   *
   * @param document keys and values of the language
   * @return YAML
   */
  public String yaml(Map<String, Object> document) {
    DumpSettings settings =
        DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).setWidth(200).build();
    return new Dump(settings).dumpToString(document);
  }

  private static Map<String, Object> section(Map<String, Object> said, String key) {
    Map<String, Object> section = new LinkedHashMap<>();
    if (said.get(key) instanceof Map<?, ?> map) {
      map.forEach((name, value) -> section.put(String.valueOf(name), value));
    }
    return section;
  }

  private static Map<String, Object> said(ProfileRecipe recipe) {
    try {
      return recipe.document().plain();
    } catch (YamlException e) {
      throw new IllegalStateException("a profile that was read cannot be read", e);
    }
  }
}
