package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.transport.DockerHttpClient;
import com.github.dockerjava.transport.DockerHttpClient.Request;
import dev.sandboxer.ext.docker.wire.EngineHttpClient;
import dev.sandboxer.ext.docker.wire.EngineRoute;
import dev.sandboxer.ext.docker.wire.EngineUnreachableException;
import dev.sandboxer.ext.docker.wire.Hijacked;
import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The Engine during one call of the platform. Everything that it refuses is a typed failure. */
final class Engine implements AutoCloseable {

  private static final String CONNECT_SECONDS = "5";
  private static final byte[] START =
      "{\"Detach\":false,\"Tty\":false}".getBytes(StandardCharsets.US_ASCII);

  private final DockerClient docker;
  private final EngineHttpClient http;
  private final String version;
  private final HostRef host;
  private final EngineRoute route;
  private final Runnable unreachable;

  Engine(
      DockerClient docker,
      EngineHttpClient http,
      String version,
      HostRef host,
      EngineRoute route,
      Runnable unreachable) {
    this.docker = docker;
    this.http = http;
    this.version = version;
    this.host = host;
    this.route = route;
    this.unreachable = unreachable;
  }

  /**
   * One request.
   *
   * @param <T> its answer
   */
  @FunctionalInterface
  interface Question<T> {
    T ask(DockerClient docker) throws ExtensionException;
  }

  /** Where it answers, which names it in errors. */
  String name() {
    return route.name();
  }

  /**
   * Asks.
   *
   * @param what the Engine shall do, for errors
   * @throws ExtensionException UNAVAILABLE or AUTHORIZATION where there is no answer; by what it
   *     says where it refuses
   */
  <T> T ask(String what, Question<T> question) throws ExtensionException {
    try {
      return question.ask(docker);
    } catch (EngineUnreachableException e) {
      throw unreachable(what, e);
    } catch (DockerException e) {
      throw Refusals.of(what, name(), e);
    } catch (RuntimeException e) {
      // docker-java wraps what it could not read.
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE,
          Outcome.UNKNOWN,
          "the Docker Engine at %s could not %s: its answer cannot be read: %s"
              .formatted(name(), what, e),
          e);
    }
  }

  /** Asks for something that may not be there. */
  <T> Optional<T> find(String what, Question<T> question) throws ExtensionException {
    return ask(
        what,
        client -> {
          try {
            return Optional.of(question.ask(client));
          } catch (NotFoundException e) {
            return Optional.empty();
          }
        });
  }

  /** A request that docker-java does not know; the path is below the API's version. */
  DockerHttpClient.Response send(
      String method, String path, Map<String, String> headers, byte @Nullable [] body) {
    return http.execute(
        Request.builder()
            .method(method)
            .path("/" + version + path)
            .headers(headers)
            .bodyBytes(body)
            .build());
  }

  /** Connects to the boxd of a running container, by a program that the Engine runs in it. */
  ByteStream connect(String container) throws ExtensionException {
    String made =
        ask(
            "connect to the sandbox",
            docker ->
                docker
                    .execCreateCmd(container)
                    .withCmd(Inside.BOXD, "connect", Inside.NAMED_SOCKET, CONNECT_SECONDS)
                    .withAttachStdin(true)
                    .withAttachStdout(true)
                    .withAttachStderr(true)
                    .exec()
                    .getId());
    try {
      Hijacked program = http.hijack("/" + version + "/exec/" + made + "/start", START);
      try {
        BoxdStream stream = BoxdStream.of(program);
        program.release();
        return stream;
      } catch (IOException e) {
        program.close();
        throw e;
      }
    } catch (EngineUnreachableException e) {
      throw unreachable("connect to the sandbox", e);
    } catch (IOException e) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE,
          Outcome.NOTHING_CREATED,
          "the Docker Engine at %s could not connect to the sandbox: %s"
              .formatted(name(), e.getMessage()),
          e);
    }
  }

  private ExtensionException unreachable(String what, EngineUnreachableException e) {
    unreachable.run();
    return new ExtensionException(
        e.code(), e.sent() ? Outcome.UNKNOWN : Outcome.NOTHING_CREATED, message(what, e), e);
  }

  private String message(String what, EngineUnreachableException e) {
    return switch (e.kind()) {
      case MISSING ->
          "there is no Docker socket at %s: %s, or %s to where its socket is"
              .formatted(
                  name(),
                  host.local() ? "start Docker" : "start that Engine",
                  host.local()
                      ? "set SANDBOXER_DOCKER_HOST"
                      : "change the address of host " + host.id());
      case FORBIDDEN ->
          "the Docker socket %s may not be used by user %s: add the user to the socket's group and"
                  .formatted(name(), System.getProperty("user.name"))
              + " start the platform again";
      case REFUSED ->
          "nobody answers at the Docker socket %s: start %s"
              .formatted(
                  name(),
                  host.local() ? "Docker, such as by systemctl start docker" : "that Engine");
      case SLOW ->
          "the Docker Engine at %s did not %s: %s; look at its load and at its log"
              .formatted(name(), what, e.getMessage());
      case CUT ->
          "the Docker Engine at %s went away before it could %s: %s; see whether it was restarted"
              .formatted(name(), what, e.getMessage());
      case GARBAGE ->
          "what answers at %s is not a Docker Engine: %s; check %s"
              .formatted(
                  name(),
                  e.getMessage(),
                  host.local() ? "SANDBOXER_DOCKER_HOST" : "the address of host " + host.id());
      case NO_WAY -> String.valueOf(e.getMessage());
    };
  }

  @Override
  public void close() {
    http.close();
  }
}
