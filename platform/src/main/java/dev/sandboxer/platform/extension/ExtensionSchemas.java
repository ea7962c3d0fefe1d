package dev.sandboxer.platform.extension;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonNodePath;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaException;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import com.networknt.schema.resource.DisallowSchemaLoader;
import dev.sandboxer.spi.ExtensionDescriptor;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Checks what only an extension understands by the JSON Schemas (draft 2020-12) that it ships. The
 * validator is loaded with the first value that there is to check.
 */
@ApplicationScoped
public class ExtensionSchemas {

  private static final Set<String> OF_KEYS =
      Set.of("required", "additionalProperties", "unevaluatedProperties", "dependentRequired");
  private static final Set<String> UNKNOWN_KEY =
      Set.of("additionalProperties", "unevaluatedProperties");

  private final ExtensionRegistry registry;
  private final ObjectMapper mapper;
  private final Map<String, JsonSchema> compiled = new ConcurrentHashMap<>();

  ExtensionSchemas(ExtensionRegistry registry, ObjectMapper mapper) {
    this.registry = registry;
    this.mapper = mapper;
  }

  /**
   * Something that a schema refuses.
   *
   * @param path from the checked value down: names, and numbers of items
   * @param ofKeys whether a key is missing or unknown, whatever the values are
   * @param message for a person
   */
  public record Mistake(List<Object> path, boolean ofKeys, String message) {

    /** Keeps an immutable copy. */
    public Mistake {
      path = List.copyOf(path);
    }
  }

  /**
   * What an extension declares.
   *
   * @param extensionId such as {@code ext.nsjail}
   * @return empty if it is not loaded
   */
  public Optional<ExtensionDescriptor> descriptor(String extensionId) {
    return registry.descriptor(extensionId);
  }

  /**
   * Which extensions can be used.
   *
   * @return their ids
   */
  public Set<String> loaded() {
    return registry.callable();
  }

  /**
   * Whether an extension is there whose schemas can be asked.
   *
   * @param extensionId such as {@code ext.nsjail}
   * @return false if it is not loaded, so that nothing can be checked
   */
  public boolean known(String extensionId) {
    return registry.descriptor(extensionId).isPresent();
  }

  /**
   * Checks the options of a profile.
   *
   * @param extensionId whose options they are
   * @param values names and values
   * @return nothing also if the extension is not {@link #known}
   */
  public List<Mistake> options(String extensionId, Map<String, Object> values) {
    return check(extensionId, "options", ExtensionDescriptor::optionsSchema, values);
  }

  /**
   * Checks the settings of a host.
   *
   * @param extensionId whose host it is
   * @param values names and values
   * @return nothing also if the extension is not {@link #known}
   */
  public List<Mistake> hostSettings(String extensionId, Map<String, Object> values) {
    return check(extensionId, "host settings", ExtensionDescriptor::hostSettingsSchema, values);
  }

  private List<Mistake> check(
      String extensionId,
      String what,
      Function<ExtensionDescriptor, @Nullable String> schema,
      Map<String, Object> values) {
    Optional<ExtensionDescriptor> descriptor = registry.descriptor(extensionId);
    if (descriptor.isEmpty()) {
      return List.of();
    }
    @Nullable String text = schema.apply(descriptor.get());
    if (text == null) {
      return values.keySet().stream()
          .map(key -> new Mistake(List.of(key), true, extensionId + " has no " + what))
          .toList();
    }
    try {
      return compiled
          .computeIfAbsent(text, this::compile)
          .validate(mapper.valueToTree(values))
          .stream()
          .map(ExtensionSchemas::mistake)
          .toList();
    } catch (JsonSchemaException | IllegalArgumentException e) {
      return List.of(
          new Mistake(
              List.of(),
              true,
              "the schema of %s for %s is wrong: %s".formatted(extensionId, what, e.getMessage())));
    }
  }

  /** A schema stands for itself: what it refers to elsewhere is not fetched. */
  private JsonSchema compile(String text) {
    JsonSchemaFactory factory =
        JsonSchemaFactory.builder(JsonSchemaFactory.getInstance(VersionFlag.V202012))
            .schemaLoaders(loaders -> loaders.add(DisallowSchemaLoader.getInstance()))
            .build();
    SchemaValidatorsConfig config = SchemaValidatorsConfig.builder().locale(Locale.ENGLISH).build();
    JsonSchema schema = factory.getSchema(json(text), config);
    schema.initializeValidators();
    return schema;
  }

  private JsonNode json(String text) {
    try {
      return mapper.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e.getOriginalMessage(), e);
    }
  }

  private static Mistake mistake(ValidationMessage refused) {
    JsonNodePath location = refused.getInstanceLocation();
    List<Object> path = new ArrayList<>();
    IntStream.range(0, location.getNameCount()).mapToObj(location::getElement).forEach(path::add);
    if (UNKNOWN_KEY.contains(refused.getType()) && refused.getProperty() != null) {
      path.add(refused.getProperty());
    }
    return new Mistake(path, OF_KEYS.contains(refused.getType()), refused.getError());
  }
}
