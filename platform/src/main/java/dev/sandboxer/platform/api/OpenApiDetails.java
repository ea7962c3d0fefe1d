package dev.sandboxer.platform.api;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.problem.Problem;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.media.Content;
import org.eclipse.microprofile.openapi.models.media.MediaType;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.eclipse.microprofile.openapi.models.parameters.RequestBody;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;
import org.jspecify.annotations.Nullable;

/**
 * What every operation has in common: its errors, and an example of its reply from {@code
 * openapi-examples.json} by operation id.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD)
public class OpenApiDetails implements OASFilter {

  private static final String EXAMPLES = "/openapi-examples.json";

  private final Map<String, Object> examples;

  /** Reads the examples. */
  public OpenApiDetails() {
    try (InputStream stream =
        Objects.requireNonNull(OpenApiDetails.class.getResourceAsStream(EXAMPLES))) {
      this.examples = new ObjectMapper().readValue(stream, new TypeReference<>() {});
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public @Nullable Operation filterOperation(Operation operation) {
    operation.getResponses().addAPIResponse("default", problem());
    RequestBody body = operation.getRequestBody();
    if (body != null && body.getContent() == null) {
      body.setContent(nothing());
    }
    Object example = examples.get(operation.getOperationId());
    if (example != null) {
      operation.getResponses().getAPIResponses().values().stream()
          .filter(response -> response.getContent() != null)
          .flatMap(response -> response.getContent().getMediaTypes().entrySet().stream())
          .filter(entry -> !entry.getKey().equals(Problem.MEDIA_TYPE))
          .forEach(entry -> entry.getValue().setExample(example));
    }
    return operation;
  }

  /** What a resource reads from the query by itself has no type to tell. */
  @Override
  public Parameter filterParameter(Parameter parameter) {
    if (parameter.getSchema() == null) {
      parameter.setSchema(OASFactory.createSchema().addType(Schema.SchemaType.STRING));
    }
    return parameter;
  }

  /** A body that may be left out must still say what it is, or generators refuse the document. */
  private static Content nothing() {
    MediaType media =
        OASFactory.createMediaType()
            .schema(OASFactory.createSchema().addType(Schema.SchemaType.OBJECT))
            .example(Map.of());
    return OASFactory.createContent().addMediaType("application/json", media);
  }

  private static APIResponse problem() {
    MediaType media =
        OASFactory.createMediaType()
            .schema(OASFactory.createSchema().ref("#/components/schemas/Problem"));
    return OASFactory.createAPIResponse()
        .description("Any error: a problem with error {code, message, retryable, request_id}")
        .content(OASFactory.createContent().addMediaType(Problem.MEDIA_TYPE, media));
  }
}
