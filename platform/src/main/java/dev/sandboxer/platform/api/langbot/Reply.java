package dev.sandboxer.platform.api.langbot;

import io.vertx.core.json.JsonObject;

/**
 * What an action came to.
 *
 * @param data of the reply
 * @param sent runs once it was sent, or cannot be
 */
record Reply(JsonObject data, Runnable sent) {

  static Reply of(JsonObject data) {
    return new Reply(data, () -> {});
  }
}
