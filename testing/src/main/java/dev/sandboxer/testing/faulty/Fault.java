package dev.sandboxer.testing.faulty;

/** What may happen to a call. */
public enum Fault {
  /** It does what it should. */
  NONE,
  /** It does so after a while. */
  SLOW,
  /** It does so twice, at the same time. */
  TWICE,
  /** It blocks until it is cancelled or faults are over, and has done nothing. */
  HANG,
  /** No room; nothing was done. */
  CAPACITY,
  /** The backend went away before it did anything; the extension cannot know that. */
  LOST_REQUEST,
  /** The backend did it, and went away before it answered. */
  LOST_ANSWER,
  /** The backend went away, and does it later. */
  LATE,
  /** It did it, and reports what it made as failed. */
  MADE_AND_FAILED
}
