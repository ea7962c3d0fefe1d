package dev.sandboxer.ext.k8s.cluster;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.ByteStreamOpener;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Outcome;

/**
 * Streams to a port of a pod's loopback, through the API server and the pod's kubelet. Each is a
 * WebSocket; no port of the platform's machine is bound.
 *
 * @param clusters that know the host's
 * @param host whose cluster has the pod
 * @param namespace of the pod
 * @param pod its name
 * @param port its port
 */
record PortForwards(Clusters clusters, HostRef host, String namespace, String pod, int port)
    implements ByteStreamOpener {

  /** So that one sandbox cannot take all that its kubelet serves. */
  private static final int MOST = 64;

  @Override
  public int maxStreams() {
    return MOST;
  }

  @Override
  public ByteStream open(Call call) throws ExtensionException {
    try {
      return PortForward.open(clusters.of(host).streams(), this, call);
    } catch (ExtensionException e) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE, Outcome.NOTHING_CREATED, String.valueOf(e.getMessage()), e);
    }
  }
}
