package dev.sandboxer.platform.box;

/** Somebody whose boxes stay, however long ago their sandboxes ended. */
public interface KeptBoxes {

  /**
   * Which boxes stay.
   *
   * @return a condition of SQL about the box {@code b}; a constant of the code
   */
  String keeps();
}
