package dev.sandboxer.platform.admission;

/** A workspace may not have what it asks for, or a grant is out of order. */
public final class AdmissionRefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * Says why.
   *
   * @param message for a person
   */
  public AdmissionRefusedException(String message) {
    super(message);
  }
}
