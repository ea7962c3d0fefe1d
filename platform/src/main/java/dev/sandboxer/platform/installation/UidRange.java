package dev.sandboxer.platform.installation;

/**
 * User ids of the host that sandboxes get, one each.
 *
 * @param first lowest id
 * @param last highest id
 */
public record UidRange(int first, int last) {

  /** What counts where nothing is set. */
  public static final UidRange DEFAULT = new UidRange(2_000_000, 2_065_535);

  private static final int LEAST = 1000;

  /** Checks the values. */
  public UidRange {
    if (first < LEAST || last < first) {
      throw new IllegalArgumentException(
          "it must be first-last with %d <= first <= last".formatted(LEAST));
    }
  }

  /**
   * Reads {@code first-last}.
   *
   * @param text to read
   * @return the range
   * @throws IllegalArgumentException saying what is wrong
   */
  public static UidRange parse(String text) {
    if (!text.matches("\\d{1,9}-\\d{1,9}")) {
      throw new IllegalArgumentException("it must be first-last, such as 2000000-2065535");
    }
    int dash = text.indexOf('-');
    return new UidRange(
        Integer.parseInt(text.substring(0, dash)), Integer.parseInt(text.substring(dash + 1)));
  }

  /**
   * One of the ranges of the same size that follow this one.
   *
   * @param number 0 for this one
   * @return disjoint from each with another number
   */
  UidRange block(int number) {
    int offset = number * size();
    return new UidRange(first + offset, last + offset);
  }

  /**
   * How many sandboxes can live at once.
   *
   * @return at least 1
   */
  public int size() {
    return last - first + 1;
  }
}
