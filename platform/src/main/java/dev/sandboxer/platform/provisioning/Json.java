package dev.sandboxer.platform.provisioning;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.SandboxSpec;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The SPI's values as JSON columns. */
@ApplicationScoped
class Json {

  private final ObjectMapper mapper;

  Json(ObjectMapper mapper) {
    this.mapper =
        mapper
            .copy()
            .addMixIn(Mount.class, MountKinds.class)
            // The options of a spec may have decimals, and equal specs have the same text.
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);
  }

  String text(Object value) {
    try {
      return mapper.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(value.getClass() + " could not be written as JSON", e);
    }
  }

  SandboxSpec spec(String text) {
    return read(text, SandboxSpec.class);
  }

  String address(@Nullable DataplaneAddress address) {
    return switch (address) {
      case null -> "{}";
      case DataplaneAddress.UnixSocket socket -> text(new Stored(socket.path().toString()));
      case DataplaneAddress.HttpsBase _ -> "{}";
      case DataplaneAddress.Streams _ -> "{}";
    };
  }

  /** The address of a stored attempt; null where only the extension can say it again. */
  @Nullable DataplaneAddress address(String text) {
    String path = read(text, Stored.class).unixSocket();
    return path == null ? null : new DataplaneAddress.UnixSocket(Path.of(path));
  }

  private <T> T read(String text, Class<T> type) {
    try {
      return mapper.readValue(text, type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a stored " + type.getSimpleName() + " cannot be read", e);
    }
  }

  private record Stored(@Nullable String unixSocket) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
  @JsonSubTypes({
    @JsonSubTypes.Type(value = Mount.HostFolder.class, name = "host_folder"),
    @JsonSubTypes.Type(value = Mount.Volume.class, name = "volume"),
    @JsonSubTypes.Type(value = Mount.Tmpfs.class, name = "tmpfs")
  })
  private interface MountKinds {}
}
