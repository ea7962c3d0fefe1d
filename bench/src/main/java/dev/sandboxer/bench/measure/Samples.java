package dev.sandboxer.bench.measure;

import java.util.Arrays;

/**
 * Raw measurements of one thing, in one unit; percentiles come from them as they are (nearest
 * rank).
 */
public final class Samples {

  private double[] values = new double[64];
  private int count;
  private boolean sorted;

  /** Samples of the given values. */
  public static Samples of(double... values) {
    Samples samples = new Samples();
    for (double value : values) {
      samples.add(value);
    }
    return samples;
  }

  /** Adds one measurement. */
  public void add(double value) {
    if (count == values.length) {
      values = Arrays.copyOf(values, count * 2);
    }
    values[count++] = value;
    sorted = false;
  }

  /** Adds all of another thing's. */
  public void addAll(Samples others) {
    for (int i = 0; i < others.count; i++) {
      add(others.values[i]);
    }
  }

  /** How many there are. */
  public int count() {
    return count;
  }

  /**
   * The smallest value that at least this share of all measurements does not exceed.
   *
   * @param percent above 0, at most 100
   * @throws IllegalStateException if nothing was measured
   */
  public double percentile(double percent) {
    if (count == 0) {
      throw new IllegalStateException("nothing was measured");
    }
    if (!sorted) {
      Arrays.sort(values, 0, count);
      sorted = true;
    }
    int rank = (int) Math.ceil(percent / 100 * count);
    return values[Math.clamp(rank, 1, count) - 1];
  }

  /** All of them in another unit. */
  public Samples times(double factor) {
    Samples scaled = new Samples();
    for (int i = 0; i < count; i++) {
      scaled.add(values[i] * factor);
    }
    return scaled;
  }

  /** How much of an amount each of them, as a time, is of: a rate. */
  public Samples rates(double amount) {
    Samples rates = new Samples();
    for (int i = 0; i < count; i++) {
      rates.add(amount / values[i]);
    }
    return rates;
  }

  /** The median. */
  public double p50() {
    return percentile(50);
  }
}
