package dev.sandboxer.platform.installation;

import java.util.Optional;

/**
 * Which installation this is.
 *
 * @param id a UUID in text form, on every backend object
 * @param restoreEpoch how often the database was restored, from 1
 * @param doubt why database and home do not belong together, empty if they do
 */
public record Installation(String id, long restoreEpoch, Optional<String> doubt) {

  /**
   * Whether sweeps may only report what they would remove: the database may be a restored or cloned
   * one that does not know every living sandbox.
   *
   * @return true while there is a {@link #doubt()}
   */
  public boolean sweepsReportOnly() {
    return doubt.isPresent();
  }

  /**
   * Issuer of tokens.
   *
   * @return {@code urn:sandboxer:<id>}
   */
  public String issuer() {
    return "urn:sandboxer:" + id;
  }
}
