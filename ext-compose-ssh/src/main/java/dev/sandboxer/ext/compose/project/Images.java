package dev.sandboxer.ext.compose.project;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.image.ImageName;
import dev.sandboxer.spi.image.ImagePolicy;
import java.util.List;

/**
 * The images that services may use.
 *
 * @param policy of the operator for this backend
 * @param request of a tenant, who may not be allowed all images
 * @param places where a mistake stands
 */
record Images(ImagePolicy policy, ProvisionRequest request, Places places) {

  void check(List<String> service, JsonNode said) throws ExtensionException {
    if (!said.path("image").isTextual()) {
      throw places.refused(service, "it has no image");
    }
    ImageName name;
    try {
      name = name(said);
    } catch (ExtensionException e) {
      throw refused(service, String.valueOf(e.getMessage()));
    }
    if (!request.mayUse(name)) {
      throw refused(
          service,
          "image %s is not allowed for this tenant: in full it is %s, and SANDBOXER_IMAGES allows %s"
              .formatted(
                  name.text(),
                  name.full(),
                  request.images().isEmpty() ? "none" : request.images()));
    }
  }

  /** The Engine would take a short name for an id of any image. */
  void nameInFull(ObjectNode service) throws ExtensionException {
    service.put("image", name(service).full());
  }

  private ImageName name(JsonNode service) throws ExtensionException {
    return policy.allowed(service.path("image").asText(), "ext.compose-ssh");
  }

  private ExtensionException refused(List<String> service, String why) {
    return places.refused(Refusals.with(service, "image"), why);
  }
}
