package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.transport.DockerHttpClient;
import com.github.dockerjava.transport.DockerHttpClient.Request;
import dev.sandboxer.ext.docker.wire.EngineUnreachableException;
import dev.sandboxer.ext.docker.wire.UnixHttpClient;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Outcome;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The Engine during one call of the platform. Everything that it refuses is a typed failure. */
final class Engine implements AutoCloseable {

  private final DockerClient docker;
  private final UnixHttpClient http;
  private final String version;
  private final HostRef host;
  private final Path socket;
  private final Runnable unreachable;

  Engine(
      DockerClient docker,
      UnixHttpClient http,
      String version,
      HostRef host,
      Path socket,
      Runnable unreachable) {
    this.docker = docker;
    this.http = http;
    this.version = version;
    this.host = host;
    this.socket = socket;
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
  Path socket() {
    return socket;
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
      throw Refusals.of(what, socket, e);
    } catch (RuntimeException e) {
      // docker-java wraps what it could not read.
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE,
          Outcome.UNKNOWN,
          "the Docker Engine at %s could not %s: its answer cannot be read: %s"
              .formatted(socket, what, e),
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

  private ExtensionException unreachable(String what, EngineUnreachableException e) {
    unreachable.run();
    return new ExtensionException(
        e.kind() == EngineUnreachableException.Kind.FORBIDDEN
            ? ErrorCode.AUTHORIZATION
            : ErrorCode.UNAVAILABLE,
        e.sent() ? Outcome.UNKNOWN : Outcome.NOTHING_CREATED,
        message(what, e),
        e);
  }

  private String message(String what, EngineUnreachableException e) {
    return switch (e.kind()) {
      case MISSING ->
          "there is no Docker socket at %s: %s, or %s to where its socket is"
              .formatted(
                  socket,
                  host.local() ? "start Docker" : "start that Engine",
                  host.local()
                      ? "set SANDBOXER_DOCKER_HOST"
                      : "change the address of host " + host.id());
      case FORBIDDEN ->
          "the Docker socket %s may not be used by user %s: add the user to the socket's group and"
                  .formatted(socket, System.getProperty("user.name"))
              + " start the platform again";
      case REFUSED ->
          "nobody answers at the Docker socket %s: start %s"
              .formatted(
                  socket,
                  host.local() ? "Docker, such as by systemctl start docker" : "that Engine");
      case SLOW ->
          "the Docker Engine at %s did not %s: %s; look at its load and at its log"
              .formatted(socket, what, e.getMessage());
      case CUT ->
          "the Docker Engine at %s went away before it could %s: %s; see whether it was restarted"
              .formatted(socket, what, e.getMessage());
      case GARBAGE ->
          "what answers at %s is not a Docker Engine: %s; check %s"
              .formatted(
                  socket,
                  e.getMessage(),
                  host.local() ? "SANDBOXER_DOCKER_HOST" : "the address of host " + host.id());
    };
  }

  @Override
  public void close() {
    http.close();
  }
}
