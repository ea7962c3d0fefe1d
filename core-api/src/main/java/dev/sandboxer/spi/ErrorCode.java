package dev.sandboxer.spi;

/** Why a backend failed. The platform decides by it what happens next. */
public enum ErrorCode {
  /** The request cannot be right on this backend; another candidate is not tried. */
  VALIDATION(false),
  /** The backend refuses the platform's credentials or rights; another candidate is not tried. */
  AUTHORIZATION(false),
  /** No room now; the next candidate is tried. */
  CAPACITY(true),
  /** The backend's own quota is used up. */
  QUOTA(true),
  /** The backend does not answer; the next candidate is tried. */
  UNAVAILABLE(true),
  /** The image could not be fetched or does not exist. */
  IMAGE_PULL(false),
  /** It did not become ready in time; the next candidate is tried. */
  TIMEOUT(true),
  /** It ended by itself. */
  CRASH(false),
  /** It ended for lack of memory. */
  OOM(false),
  /** The backend cannot do what was asked. */
  UNSUPPORTED(false),
  /** A defect of the extension, or anything it did not foresee. */
  INTERNAL(false);

  private final boolean retryable;

  ErrorCode(boolean retryable) {
    this.retryable = retryable;
  }

  /**
   * Whether the same request may succeed later.
   *
   * @return the default for {@link ExtensionException}
   */
  public boolean retryable() {
    return retryable;
  }
}
