package dev.sandboxer.dataplane;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.dataplane.http.HttpClients;
import dev.sandboxer.dataplane.websocket.WebSockets;

/**
 * The network connections of one program, for any number of sandboxes. A new one opens nothing;
 * what it needs it makes with the first call. Safe for use by several threads.
 */
public final class Connections implements AutoCloseable {
  private final HttpClients http = new HttpClients();
  private final WebSockets webSockets = new WebSockets();
  private final ObjectMapper json = new ObjectMapper();

  /** HTTP clients, which follow no redirect. */
  public HttpClients http() {
    return http;
  }

  /** Opens WebSockets. */
  public WebSockets webSockets() {
    return webSockets;
  }

  /** Reads and writes JSON. */
  public ObjectMapper json() {
    return json;
  }

  /** Ends every connection and the threads that serve them; calls in progress fail. */
  @Override
  public void close() {
    webSockets.close();
    http.close();
  }
}
