package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.image.ImageName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * An image in the operator's folder, named {@code localhost/NAME}: a folder with a root file system
 * or an OCI layout, or an archive of either. No registry is asked for it.
 *
 * @param place where it is
 * @param tag of a layout's or an archive's image, empty for the one that it has
 * @param stamp changes with the file or the folder itself
 */
record LocalImage(Path place, String tag, String stamp) {

  private static final String REGISTRY = "localhost";
  private static final String SILENT = "latest";
  private static final List<String> ENDS = List.of("", ".tar", ".tar.gz", ".tgz", ".tar.zst");

  static boolean names(ImageName name) {
    return name.registry().equals(REGISTRY);
  }

  static LocalImage find(ImageName name, Path folder) throws ExtensionException {
    Path place =
        ENDS.stream()
            .map(end -> folder.resolve(name.path() + end))
            .filter(Files::exists)
            .findFirst()
            .orElseThrow(
                () ->
                    missing(
                        name, "there is no " + folder.resolve(name.path()) + ", as " + forms()));
    String tag = name.digest().isEmpty() && name.tag().equals(SILENT) ? "" : name.reference();
    try {
      return new LocalImage(place, tag, stamp(place));
    } catch (IOException e) {
      throw missing(name, place + " cannot be read: " + e.getMessage());
    }
  }

  private static String forms() {
    return "a folder or with " + String.join(", ", ENDS.subList(1, ENDS.size()));
  }

  /** Of an OCI layout the file that names its images, of a root file system the folder itself. */
  private static String stamp(Path place) throws IOException {
    Path index = place.resolve("index.json");
    Map<String, Object> seen =
        Files.readAttributes(
            Files.isRegularFile(index, LinkOption.NOFOLLOW_LINKS) ? index : place,
            "unix:dev,ino,size,ctime,lastModifiedTime");
    return Stream.of("dev", "ino", "size", "ctime", "lastModifiedTime")
        .map(key -> String.valueOf(seen.get(key)))
        .reduce(place.toString(), (all, one) -> all + " " + one);
  }

  private static ExtensionException missing(ImageName name, String why) {
    return new ExtensionException(
        ErrorCode.IMAGE_PULL, "image %s is not here: %s".formatted(name.text(), why));
  }
}
