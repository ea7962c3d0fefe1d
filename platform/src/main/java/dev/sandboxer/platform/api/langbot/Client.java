package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.access.Principal;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Who is at the other end of a connection.
 *
 * @param instance of LangBot
 * @param principal that its boxes belong to
 * @param address that it comes from
 * @param config what it said by {@code box_init}
 */
record Client(
    String instance, Principal principal, String address, AtomicReference<ClientConfig> config) {

  Client(String instance, Principal principal, String address) {
    this(instance, principal, address, new AtomicReference<>(ClientConfig.DEFAULT));
  }

  ClientConfig settings() {
    return config.get();
  }
}
