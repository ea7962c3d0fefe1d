package dev.sandboxer.platform.event;

/** Somebody who has to get events before they may be removed. */
public interface EventReader {

  /**
   * Which events are still wanted.
   *
   * @return a condition of SQL about the event {@code e}; a constant of the code
   */
  String wants();
}
