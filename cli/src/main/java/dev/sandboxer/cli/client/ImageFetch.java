package dev.sandboxer.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.function.Consumer;

/** Whether a sandbox that is being made waits for its image, told once for each fetch. */
final class ImageFetch {
  private static final String PULL = "sandbox.image_pull";

  private final Api api;
  private final Consumer<String> tell;
  private int told;

  /**
   * Of one sandbox.
   *
   * @param tell is given a line when a fetch has begun
   */
  ImageFetch(Api api, Consumer<String> tell) {
    this.api = api;
    this.tell = tell;
  }

  /** Asks for the events; a platform that does not tell them counts as one that fetches nothing. */
  boolean goesOn(String id) throws InterruptedException {
    List<JsonNode> steps;
    try {
      steps =
          new Pages(api)
              .all("/v1/sandboxes/" + id + "/events").stream()
                  .filter(event -> event.path("type").asText().equals(PULL))
                  .map(event -> event.path("detail"))
                  .toList();
    } catch (ApiFailure e) {
      return false;
    }
    List<JsonNode> begun = steps.stream().filter(ImageFetch::started).toList();
    begun.stream()
        .skip(told)
        .forEach(step -> tell.accept("fetching image " + step.path("image").asText()));
    told = Math.max(told, begun.size());
    return !steps.isEmpty() && started(steps.getLast());
  }

  private static boolean started(JsonNode step) {
    return step.path("status").asText().equals("started");
  }
}
