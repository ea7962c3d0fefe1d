package dev.sandboxer.platform.provisioning;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.enterprise.context.ApplicationScoped;

/** The SPI's values as JSON columns. */
@ApplicationScoped
class Json {

  private final ObjectMapper mapper;

  Json(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  String text(Object value) {
    try {
      return mapper.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(value.getClass() + " could not be written as JSON", e);
    }
  }

  <T> T read(String text, Class<T> type) {
    try {
      return mapper.readValue(text, type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a stored " + type.getSimpleName() + " cannot be read", e);
    }
  }
}
