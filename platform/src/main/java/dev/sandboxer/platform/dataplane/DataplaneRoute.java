package dev.sandboxer.platform.dataplane;

import static dev.sandboxer.platform.token.Capability.EXEC;
import static dev.sandboxer.platform.token.Capability.FS_READ;
import static dev.sandboxer.platform.token.Capability.FS_WRITE;
import static dev.sandboxer.platform.token.Capability.PROCESS;
import static dev.sandboxer.platform.token.Capability.SHELL;

import dev.sandboxer.platform.token.Capability;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A route of boxd that clients may use. What is not listed does not exist for them: boxd's control
 * routes above all. Ports are not listed before they have an origin of their own.
 *
 * @param path exactly, without any encoding
 * @param capability that the token must have; null for health, which any token may ask for
 * @param methods that are taken
 * @param webSocket whether it is one
 */
record DataplaneRoute(
    String path, @Nullable Capability capability, List<String> methods, boolean webSocket) {

  private static final List<String> READ = List.of("GET", "HEAD");
  private static final List<String> GET = List.of("GET");
  private static final List<String> POST = List.of("POST");
  private static final Pattern PROCESS_PATH =
      Pattern.compile("/v1/processes/[A-Za-z0-9_-]{1,64}(/(signal|stdin|output))?");
  private static final Pattern ATTACH_PATH =
      Pattern.compile("/v1/processes/[A-Za-z0-9_-]{1,64}/attach");

  private static final Map<String, DataplaneRoute> EXACT =
      Stream.of(
              plain("/v1/health", null, READ),
              plain("/v1/exec", EXEC, POST),
              webSocket("/v1/exec/ws", EXEC),
              webSocket("/v1/shell/ws", SHELL),
              plain("/v1/files/upload", FS_WRITE, List.of("POST", "PUT")),
              plain("/v1/files/mkdir", FS_WRITE, POST),
              plain("/v1/files/move", FS_WRITE, POST),
              plain("/v1/files/remove", FS_WRITE, POST),
              plain("/v1/files/chmod", FS_WRITE, POST),
              plain("/v1/files/download", FS_READ, READ),
              plain("/v1/files/list", FS_READ, READ),
              plain("/v1/files/stat", FS_READ, READ),
              plain("/v1/files/search", FS_READ, GET),
              plain("/v1/files/watch", FS_READ, GET),
              plain("/v1/processes", PROCESS, List.of("GET", "POST")))
          .collect(Collectors.toUnmodifiableMap(DataplaneRoute::path, Function.identity()));

  static Optional<DataplaneRoute> find(String path) {
    DataplaneRoute exact = EXACT.get(path);
    if (exact != null) {
      return Optional.of(exact);
    }
    if (PROCESS_PATH.matcher(path).matches()) {
      return Optional.of(plain(path, PROCESS, List.of("GET", "POST", "DELETE")));
    }
    return ATTACH_PATH.matcher(path).matches()
        ? Optional.of(webSocket(path, PROCESS))
        : Optional.empty();
  }

  private static DataplaneRoute plain(
      String path, @Nullable Capability capability, List<String> methods) {
    return new DataplaneRoute(path, capability, methods, false);
  }

  private static DataplaneRoute webSocket(String path, Capability capability) {
    return new DataplaneRoute(path, capability, GET, true);
  }
}
