package dev.sandboxer.ext.e2b.cloud;

/**
 * What a template gives each of its sandboxes.
 *
 * @param vcpus whole CPUs
 * @param memoryMib memory
 */
public record Size(int vcpus, int memoryMib) {

  /** What E2B gives where nobody chose. */
  public static final Size DEFAULT = new Size(2, 512);
}
