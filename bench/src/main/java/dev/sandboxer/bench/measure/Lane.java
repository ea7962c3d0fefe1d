package dev.sandboxer.bench.measure;

/** An operation that is timed beside others, and its samples in milliseconds. */
public final class Lane {

  private static final double NANOS_PER_MILLI = 1e6;

  private final String name;
  private final Operation operation;
  private final Samples samples = new Samples();

  /** A lane without samples. */
  public Lane(String name, Operation operation) {
    this.name = name;
    this.operation = operation;
  }

  /** What is timed, in words. */
  public String name() {
    return name;
  }

  /** What was measured so far, in milliseconds. */
  public Samples samples() {
    return samples;
  }

  void measure(int times) throws Exception {
    for (int i = 0; i < times; i++) {
      long begin = System.nanoTime();
      operation.run();
      samples.add((System.nanoTime() - begin) / NANOS_PER_MILLI);
    }
  }

  void warm(long until) throws Exception {
    while (System.nanoTime() - until < 0) {
      operation.run();
    }
  }
}
