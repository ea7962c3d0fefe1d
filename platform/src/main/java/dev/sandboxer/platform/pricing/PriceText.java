package dev.sandboxer.platform.pricing;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A file of the folder of price lists, as it was found.
 *
 * @param name of the file
 * @param text its content, empty if it could not be read
 * @param unreadable why it could not be read, empty if it could
 */
record PriceText(String name, String text, String unreadable) {

  private static final long MAX_BYTES = 256 * 1024;

  /** All {@code .yaml} and {@code .yml} files of a folder, in order of their names. */
  static List<PriceText> in(Path folder) {
    List<PriceText> found = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      files.filter(PriceText::isYaml).sorted().forEach(file -> found.add(read(file)));
    } catch (NoSuchFileException e) {
      return List.of(); // nothing has a price
    } catch (IOException e) {
      found.add(new PriceText(folder.getFileName() + "/", "", "it cannot be read: " + e));
    }
    return found;
  }

  private static boolean isYaml(Path file) {
    String name = file.getFileName().toString();
    return !name.startsWith(".") && (name.endsWith(".yaml") || name.endsWith(".yml"));
  }

  private static PriceText read(Path file) {
    String name = file.getFileName().toString();
    try {
      return Files.size(file) > MAX_BYTES
          ? new PriceText(name, "", "the file is longer than " + MAX_BYTES + " bytes")
          : new PriceText(name, Files.readString(file), "");
    } catch (CharacterCodingException e) {
      return new PriceText(name, "", "the file is no text in UTF-8");
    } catch (IOException e) {
      return new PriceText(name, "", "the file cannot be read: " + e);
    }
  }
}
