package dev.sandboxer.platform.dataplane.wire;

/** How long a reply's body is. */
sealed interface Framing {

  /** There is none. */
  record None() implements Framing {}

  /** As many bytes, at least one. */
  record Length(long bytes) implements Framing {}

  /** In chunks. */
  record Chunked() implements Framing {}

  /**
   * Decides, and refuses whatever two readers could understand differently.
   *
   * @param head of the final reply
   * @param headRequest whether the request was a HEAD
   */
  static Framing of(ReplyHead head, boolean headRequest) throws WireException {
    int lengths = head.count("content-length");
    int encodings = head.count("transfer-encoding");
    if (lengths > 1) {
      throw new WireException("more than one Content-Length");
    }
    if (encodings > 1 || (encodings == 1 && lengths == 1)) {
      throw new WireException("Transfer-Encoding beside another framing");
    }
    if (encodings == 1 && !"chunked".equalsIgnoreCase(head.first("transfer-encoding"))) {
      throw new WireException("a Transfer-Encoding other than chunked");
    }
    long length = lengths == 1 ? length(String.valueOf(head.first("content-length"))) : -1;
    if (headRequest || head.status() == 204 || head.status() == 304 || length == 0) {
      return new None();
    }
    if (encodings == 1) {
      return new Chunked();
    }
    if (length < 0) {
      throw new WireException("a body whose end is not said");
    }
    return new Length(length);
  }

  private static long length(String text) throws WireException {
    if (text.isEmpty() || text.length() > 18 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new WireException("a Content-Length that is no number");
    }
    return Long.parseLong(text);
  }
}
