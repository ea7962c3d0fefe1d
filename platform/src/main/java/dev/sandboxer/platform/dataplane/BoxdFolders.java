package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.BoxdClient.BoxdException;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenMinter;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Whole folders to and from the boxd of a sandbox, as tar archives. Calls block; they are meant for
 * virtual threads. Neither side may stand still for more than a minute, and nothing but a few parts
 * is in memory.
 */
public final class BoxdFolders {

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private final Context loop;
  private final WireClient client;
  private final TokenMinter minter;

  /**
   * Makes one with an event loop of its own.
   *
   * @param vertx with the native transport
   * @param client to speak through
   * @param minter of relay tokens
   */
  BoxdFolders(Vertx vertx, WireClient client, TokenMinter minter) {
    this.loop = ((VertxInternal) vertx).createEventLoopContext();
    this.client = client;
    this.minter = minter;
  }

  /**
   * Unpacks an archive below a folder of the sandbox, which is made if it is missing.
   *
   * @param boxd of the sandbox
   * @param path absolute, inside
   * @param tar read to its end
   * @throws BoxdException if boxd cannot be reached or refuses it, as where no room is left; what
   *     was unpacked before stays
   * @throws IOException if the archive cannot be read
   * @throws InterruptedException if the thread is interrupted; the exchange is then aborted
   */
  public void fill(Endpoint boxd, String path, InputStream tar)
      throws BoxdException, IOException, InterruptedException {
    RequestHead head = head(boxd, "POST", "upload?extract=tar&parents=true&path=", path);
    FolderExchange exchange = new FolderExchange(loop);
    try {
      exchange.begin(client, boxd, head.chunked());
      exchange.send(tar);
      exchange.endRequest();
      if (exchange.status() != OK) {
        throw refused(path, exchange.problem());
      }
      exchange.receive(OutputStream.nullOutputStream());
    } catch (WireException e) {
      throw broken(boxd, e);
    } finally {
      exchange.close();
    }
  }

  /**
   * Packs a folder of the sandbox. What comes is hostile.
   *
   * @param boxd of the sandbox
   * @param path absolute, inside
   * @param tar gets the archive; not closed
   * @return false if the sandbox has no such folder
   * @throws BoxdException if boxd cannot be reached, refuses it or does not send all
   * @throws IOException if the archive cannot be written
   * @throws InterruptedException if the thread is interrupted; the exchange is then aborted
   */
  public boolean fetch(Endpoint boxd, String path, OutputStream tar)
      throws BoxdException, IOException, InterruptedException {
    RequestHead head = head(boxd, "GET", "download?archive=tar&path=", path);
    FolderExchange exchange = new FolderExchange(loop);
    try {
      exchange.begin(client, boxd, head);
      exchange.endRequest();
      int status = exchange.status();
      if (status == NOT_FOUND) {
        return false;
      }
      if (status != OK) {
        throw refused(path, exchange.problem());
      }
      exchange.receive(tar);
      return true;
    } catch (WireException e) {
      throw broken(boxd, e);
    } finally {
      exchange.close();
    }
  }

  private RequestHead head(Endpoint boxd, String method, String route, String path)
      throws BoxdException {
    Capability capability = method.equals("GET") ? Capability.FS_READ : Capability.FS_WRITE;
    String token = minter.relay(boxd.sandboxId(), boxd.generation(), capability).value();
    try {
      return new RequestHead(
              method, "/v1/files/" + route + URLEncoder.encode(path, StandardCharsets.UTF_8))
          .header("Authorization", "Bearer " + token);
    } catch (WireException e) {
      throw broken(boxd, e);
    }
  }

  private static BoxdException refused(String path, Answer answer) {
    return new BoxdException(
        "%s in the sandbox: %s"
            .formatted(
                path,
                answer
                    .json()
                    .map(problem -> String.valueOf(problem.getValue("detail")))
                    .orElse("status " + answer.status())));
  }

  private static BoxdException broken(Endpoint boxd, WireException cause) {
    return new BoxdException("boxd of %s: %s".formatted(boxd.sandboxId(), cause.reason()));
  }
}
