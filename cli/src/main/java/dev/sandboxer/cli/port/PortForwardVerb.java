package dev.sandboxer.cli.port;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.dataplane.port.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Ports of a sandbox on this machine's loopback. */
@Command(
    name = "port-forward",
    description = "Make ports of a sandbox reachable on this machine's loopback, until Ctrl-C.",
    customSynopsis = "sandboxer port-forward [OPTIONS] SANDBOX LOCAL:REMOTE...",
    footer = {"", "LOCAL 0 takes a free port; the line that is printed names it."})
public final class PortForwardVerb extends Verb {
  private static final byte[] LOOPBACK = {127, 0, 0, 1};

  @Parameters(
      index = "0",
      paramLabel = "SANDBOX",
      description = "Its id, the beginning of one, or its name.")
  private String id = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "LOCAL:REMOTE",
      description = "A port of this machine and one inside; PORT alone is the same on both sides.")
  private List<String> ports = new ArrayList<>();

  public PortForwardVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    String sandbox = context().sandbox(id);
    List<Forwarding> wanted = ports.stream().map(Forwarding::of).toList();
    Ports inside = new Ports(context().dataplane(sandbox));
    var _ = inside.listening(); // a refusal is reported before anything listens here
    List<Listener> listeners = new ArrayList<>();
    try {
      wanted.forEach(one -> listeners.add(listen(one, inside)));
      tell(listeners);
      listeners.forEach(Listener::start);
      new CountDownLatch(1).await(); // only a signal ends it
      throw new InterruptedException();
    } finally {
      listeners.forEach(Listener::close);
    }
  }

  private Listener listen(Forwarding wanted, Ports inside) {
    ServerSocket server = null;
    try {
      server = new ServerSocket();
      server.bind(
          new InetSocketAddress(InetAddress.getByAddress("localhost", LOOPBACK), wanted.local()));
      return new Listener(server, wanted.remote(), inside, context().console());
    } catch (IOException e) {
      throw Failure.sandboxer(
          "port " + wanted.local() + " of this machine cannot be listened on: " + e.getMessage(),
          e);
    }
  }

  private void tell(List<Listener> listeners) {
    if (json()) {
      ArrayNode all = context().json().createArrayNode();
      listeners.forEach(
          one ->
              all.addObject()
                  .put("address", "127.0.0.1")
                  .put("local", one.local())
                  .put("remote", one.remote()));
      print(all);
    } else {
      listeners.forEach(
          one -> context().console().result("127.0.0.1:" + one.local() + " -> " + one.remote()));
    }
  }
}
