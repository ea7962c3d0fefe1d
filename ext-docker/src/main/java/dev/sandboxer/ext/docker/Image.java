package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.model.ContainerConfig;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.image.ImageName;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * An image on the Engine.
 *
 * @param name as the profile says it
 * @param id by its content; containers are made from this, so that a moved tag changes nothing
 * @param os such as linux
 * @param architecture such as amd64
 * @param volumes folders that the image declares as volumes
 */
record Image(String name, String id, String os, String architecture, Set<String> volumes) {

  private static final int MAX_VOLUMES = 16;

  static Image of(ImageName name, InspectImageResponse found) throws ExtensionException {
    Set<String> volumes =
        Optional.ofNullable(found.getConfig())
            .map(ContainerConfig::getVolumes)
            .<Set<String>>map(map -> new TreeSet<>(map.keySet()))
            .orElse(Set.of());
    if (volumes.size() > MAX_VOLUMES) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          "image %s declares %d volumes, and %d are the most"
              .formatted(name.text(), volumes.size(), MAX_VOLUMES));
    }
    return new Image(
        name.text(),
        String.valueOf(found.getId()),
        String.valueOf(found.getOs()),
        String.valueOf(found.getArch()),
        volumes);
  }

  /** Its place among operating systems and machines, as people say it. */
  Map<String, String> platform() {
    return Map.of("os", os, "architecture", architecture);
  }
}
