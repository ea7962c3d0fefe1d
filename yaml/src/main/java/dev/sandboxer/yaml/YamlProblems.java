package dev.sandboxer.yaml;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads on after a mistake, so that a person sees all of them at once. */
public final class YamlProblems {

  private final Map<String, YamlException> found = new LinkedHashMap<>();

  /**
   * Something that reads a part of a document.
   *
   * @param <T> what it gives
   */
  @FunctionalInterface
  public interface Reading<T extends @Nullable Object> {
    /**
     * Reads.
     *
     * @return what stands there
     * @throws YamlException if that is wrong
     */
    T read() throws YamlException;
  }

  /**
   * Reads a part and keeps its mistake.
   *
   * @param <T> what is read
   * @param fallback what counts where the part is wrong, or waits for an input
   * @param reading reads the part
   * @return what stands there, else the fallback
   */
  public <T extends @Nullable Object> T read(T fallback, Reading<T> reading) {
    try {
      return reading.read();
    } catch (YamlException e) {
      add(e);
      return fallback;
    }
  }

  /**
   * Keeps a mistake, once; what only waits for an input is none.
   *
   * @param mistake to keep
   */
  public void add(YamlException mistake) {
    if (!mistake.open()) {
      found.putIfAbsent(mistake.sentence(), mistake);
    }
  }

  /**
   * Whether anything was wrong.
   *
   * @return false if all is well
   */
  public boolean any() {
    return !found.isEmpty();
  }

  /**
   * All mistakes.
   *
   * @return in the order in which they were met
   */
  public List<YamlException> found() {
    return new ArrayList<>(found.values());
  }
}
