package dev.sandboxer.bench.measure;

/** One thing to time. */
@FunctionalInterface
public interface Operation {

  /** Does it once; a result that is not the wanted one is an exception, never a sample. */
  void run() throws Exception;
}
