package dev.sandboxer.ext.docker.wire;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.Call;
import java.util.List;

/** A way to an Engine. Equal ways lead to the same one. */
public sealed interface EngineRoute permits UnixRoute, SshRoute, TlsRoute {

  /**
   * For messages.
   *
   * @return such as {@code /var/run/docker.sock} or {@code tcp://build-1:2376}
   */
  String name();

  /**
   * What is passed on the way, in order.
   *
   * @return names such as {@code ssh}; none on this machine
   */
  List<String> steps();

  /**
   * Connects.
   *
   * @param call deadline and cancellation of the opening alone
   * @return an open stream
   * @throws EngineUnreachableException if there is no way through
   */
  ByteStream open(Call call);
}
