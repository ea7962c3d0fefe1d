package dev.sandboxer.dataplane.http;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;

/** Bodies that are held whole: whoever answers cannot fill this machine's memory with one. */
public final class Replies {
  /** Bytes that a body may have; a page of the largest lists is a tenth of it. */
  public static final int MOST_BYTES = 32 << 20;

  private Replies() {}

  /** Text of at most 32 MiB; a longer one ends the call with an IOException. */
  public static BodyHandler<String> text() {
    return BodyHandlers.limiting(BodyHandlers.ofString(), MOST_BYTES);
  }
}
