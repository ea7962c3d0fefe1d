package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.Capability;
import io.vertx.core.Context;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;

/** Opens WebSockets of the platform's own to boxds, by the way that the relay would use. */
public final class SandboxSockets {

  private static final int KEY_BYTES = 16;

  private final SandboxCalls calls;
  private final Upstream upstream;
  private final DataplaneTargets targets;
  private final OpenStreams streams;
  private final SecureRandom random = new SecureRandom();

  SandboxSockets(
      SandboxCalls calls, Upstream upstream, DataplaneTargets targets, OpenStreams streams) {
    this.calls = calls;
    this.upstream = upstream;
    this.targets = targets;
    this.streams = streams;
  }

  /**
   * Opens one. Blocks while the sandbox is looked up; the rest happens on the event loop.
   *
   * @param sandboxId the sandbox's id
   * @param capability that the route wants
   * @param path from {@code /v1/} on, with its query, encoded
   * @param loop where all of it happens, and where the listener is called
   * @param listener of what comes
   * @return the socket, which is not open yet: frames come once it is, or its end
   * @throws ProblemException INVALID_STATE if the sandbox is not there, neither ready nor active,
   *     or has no dataplane; RATE_LIMITED if too much is open to it
   */
  public SandboxSocket open(
      SandboxId sandboxId,
      Capability capability,
      String path,
      Context loop,
      SandboxSocket.Listener listener) {
    Target target = calls.target(sandboxId);
    targets.used(target);
    Upgrade upgrade = new Upgrade(key(), List.of(), true);
    SandboxSocket socket =
        new SandboxSocket(target, capability, upgrade, streams, targets, loop, listener);
    listener.opening(socket);
    if (!streams.add(socket)) {
      throw new ProblemException(
          ErrorCode.RATE_LIMITED, "too many open requests to sandbox " + sandboxId);
    }
    if (targets.ended(target, socket.claims())) {
      // It ended between the look-up and the registration: nobody else would cut this one.
      socket.cut();
      return socket;
    }
    loop.runOnContext(on -> begin(target, capability, path, upgrade, socket));
    return socket;
  }

  private void begin(
      Target target, Capability capability, String path, Upgrade upgrade, SandboxSocket socket) {
    try {
      RequestHead head = upstream.head("GET", path, target, capability, RequestId.takeOrMake(null));
      upgrade.ask(head);
      upstream.begin(target, head, socket, socket::connected, socket::failed);
    } catch (WireException e) {
      socket.failed(e);
    }
  }

  private String key() {
    byte[] key = new byte[KEY_BYTES];
    random.nextBytes(key);
    return Base64.getEncoder().encodeToString(key);
  }
}
