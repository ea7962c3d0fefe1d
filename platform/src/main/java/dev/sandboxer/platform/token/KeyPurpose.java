package dev.sandboxer.platform.token;

import java.util.Locale;

/** Who checks a key's signatures. */
public enum KeyPurpose {
  /** The relay checks client tokens; published as the JWKS. */
  CLIENT,
  /** boxd and other nodes check tokens of the relay; the public part is in boxd's config. */
  RELAY;

  String column() {
    return name().toLowerCase(Locale.ROOT);
  }
}
