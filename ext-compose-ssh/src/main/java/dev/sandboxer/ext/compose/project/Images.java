package dev.sandboxer.ext.compose.project;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.image.ImageName;
import dev.sandboxer.spi.image.ImagePolicy;
import java.util.List;

/**
 * The images that services, and builds of services, may use.
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
    try {
      allowed(said.path("image").asText());
    } catch (ExtensionException e) {
      throw places.refused(Refusals.with(service, "image"), String.valueOf(e.getMessage()));
    }
  }

  /** The name of one that may be used. */
  ImageName allowed(String text) throws ExtensionException {
    ImageName name = policy.allowed(text, "ext.compose-ssh");
    if (!request.mayUse(name)) {
      throw ProjectOptions.wrong(
          "image %s is not allowed for this tenant: in full it is %s, and SANDBOXER_IMAGES allows %s"
              .formatted(
                  name.text(),
                  name.full(),
                  request.images().isEmpty() ? "none" : request.images()));
    }
    return name;
  }

  /** The Engine would take a short name for an id of any image. */
  void nameInFull(ObjectNode service) throws ExtensionException {
    service.put("image", allowed(service.path("image").asText()).full());
  }
}
