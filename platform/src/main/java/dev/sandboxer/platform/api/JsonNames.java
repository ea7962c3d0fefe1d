package dev.sandboxer.platform.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.quarkus.jackson.ObjectMapperCustomizer;
import jakarta.inject.Singleton;

/** The conventions of the API: names in snake_case, instants as RFC 3339 text. */
@Singleton
class JsonNames implements ObjectMapperCustomizer {

  @Override
  public void customize(ObjectMapper mapper) {
    mapper
        .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
        .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS);
  }
}
