package dev.sandboxer.yaml;

/** What stands for a value that waits for an input. */
@FunctionalInterface
public interface OpenLeaves {

  /** Nothing does: reading fails. */
  OpenLeaves REFUSED =
      open -> {
        throw open;
      };

  /**
   * Replaces one value.
   *
   * @param open which value, by its field
   * @return what stands for it
   * @throws OpenLeafException if reading cannot go on
   */
  Object replace(OpenLeafException open) throws OpenLeafException;
}
