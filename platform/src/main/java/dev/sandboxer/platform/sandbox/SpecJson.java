package dev.sandboxer.platform.sandbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.SandboxSpec;
import jakarta.enterprise.context.ApplicationScoped;

/** The column {@code spec}. Many rows have the same text, which is then parsed once. */
@ApplicationScoped
class SpecJson {

  private static final int KEPT = 256;

  private final ObjectMapper mapper;
  private final LoadingCache<String, SandboxSpec> parsed =
      Caffeine.newBuilder().maximumSize(KEPT).executor(Runnable::run).build(this::parse);

  SpecJson(ObjectMapper mapper) {
    this.mapper =
        mapper
            .copy()
            .addMixIn(Mount.class, MountKinds.class)
            // The options of a spec may have decimals, and equal specs have the same text.
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);
  }

  String text(SandboxSpec spec) {
    try {
      return mapper.writeValueAsString(spec);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a spec cannot be written as JSON", e);
    }
  }

  SandboxSpec read(String text) {
    return parsed.get(text);
  }

  private SandboxSpec parse(String text) {
    try {
      return mapper.readValue(text, SandboxSpec.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a stored spec cannot be read", e);
    }
  }
}
