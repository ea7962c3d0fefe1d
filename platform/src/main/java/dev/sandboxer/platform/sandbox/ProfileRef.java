package dev.sandboxer.platform.sandbox;

/**
 * One version of a profile.
 *
 * @param id {@code profile.<name>}
 * @param version from 1
 */
public record ProfileRef(String id, int version) {

  /** As profiles are named in requests: {@code profile.<name>@<version>}. */
  @Override
  public String toString() {
    return id + "@" + version;
  }
}
