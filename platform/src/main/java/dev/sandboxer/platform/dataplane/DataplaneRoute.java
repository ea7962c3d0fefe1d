package dev.sandboxer.platform.dataplane;

import static dev.sandboxer.platform.token.Capability.EXEC;
import static dev.sandboxer.platform.token.Capability.FS_READ;
import static dev.sandboxer.platform.token.Capability.FS_WRITE;
import static dev.sandboxer.platform.token.Capability.PORT;
import static dev.sandboxer.platform.token.Capability.PROCESS;
import static dev.sandboxer.platform.token.Capability.SHELL;

import dev.sandboxer.platform.token.Capability;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A route of boxd that clients may use. What is not listed does not exist for them: boxd's control
 * routes above all.
 *
 * @param path exactly, without any encoding
 * @param capability that the token must have; null for what any token may ask for
 * @param methods that are taken
 * @param kind how it is served
 */
record DataplaneRoute(
    String path, @Nullable Capability capability, List<String> methods, Kind kind) {

  /** The path without what differs from one request to the next. */
  String template() {
    if (kind == Kind.PORT) {
      return "/v1/ports/{port}";
    }
    return EXACT.containsKey(path)
        ? path
        : path.replaceFirst("^(/v1/processes/)[^/]+", "$1{id}")
            .replaceFirst("^(/v1/mcp(?:-servers)?/)[^/]+", "$1{name}");
  }

  /** What the relay's own token grants: health wants none, metrics any. */
  @Nullable Capability shown() {
    return path.equals("/v1/metrics") ? PROCESS : capability;
  }

  /** How a route is served. */
  enum Kind {
    /** A request and its reply. */
    PLAIN,
    /** A WebSocket with frames of our own. */
    FRAMES,
    /** A port inside: requests and WebSockets of whatever listens there. */
    PORT,
    /** By the platform itself. */
    TICKETS
  }

  /** What a port takes; neither CONNECT nor TRACE. */
  static final List<String> PORT_METHODS =
      List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

  private static final List<String> MCP_METHODS = List.of("GET", "POST", "DELETE");
  private static final List<String> DEFINITION_METHODS = List.of("PUT", "DELETE");
  private static final List<String> READ = List.of("GET", "HEAD");
  private static final List<String> GET = List.of("GET");
  private static final List<String> POST = List.of("POST");

  private static final Pattern PROCESS_PATH =
      Pattern.compile("/v1/processes/[A-Za-z0-9_-]{1,64}(/(?:signal|stdin|output|attach))?");
  private static final Pattern MCP_PATH = Pattern.compile("/v1/mcp(-servers)?/[A-Za-z0-9_-]{1,48}");
  private static final Pattern PORT_PATH = Pattern.compile("/v1/ports/([1-9][0-9]{0,4})(/.*)");
  private static final int MAX_PORT = 65_535;

  private static final Map<String, DataplaneRoute> EXACT =
      Stream.of(
              plain("/v1/health", null, READ),
              plain("/v1/metrics", null, READ),
              plain("/v1/exec", EXEC, POST),
              frames("/v1/exec/ws", EXEC),
              frames("/v1/shell/ws", SHELL),
              plain("/v1/files/upload", FS_WRITE, POST),
              plain("/v1/files/mkdir", FS_WRITE, POST),
              plain("/v1/files/move", FS_WRITE, POST),
              plain("/v1/files/remove", FS_WRITE, POST),
              plain("/v1/files/chmod", FS_WRITE, POST),
              plain("/v1/files/download", FS_READ, READ),
              plain("/v1/files/list", FS_READ, READ),
              plain("/v1/files/stat", FS_READ, READ),
              plain("/v1/files/search", FS_READ, READ),
              plain("/v1/files/watch", FS_READ, GET),
              plain("/v1/processes", PROCESS, List.of("GET", "POST")),
              plain("/v1/mcp-servers", PROCESS, READ),
              plain("/v1/ports", PORT, READ),
              new DataplaneRoute("/v1/tickets", null, POST, Kind.TICKETS))
          .collect(Collectors.toUnmodifiableMap(DataplaneRoute::path, Function.identity()));

  /** Those whose path has no parts that vary. */
  static Collection<DataplaneRoute> exact() {
    return EXACT.values();
  }

  static Optional<DataplaneRoute> find(String path) {
    DataplaneRoute exact = EXACT.get(path);
    if (exact != null) {
      return Optional.of(exact);
    }
    Matcher process = PROCESS_PATH.matcher(path);
    if (process.matches()) {
      return Optional.of(process(path, process.group(1)));
    }
    Matcher mcp = MCP_PATH.matcher(path);
    return mcp.matches()
        ? Optional.of(plain(path, PROCESS, mcp.group(1) == null ? MCP_METHODS : DEFINITION_METHODS))
        : port(path);
  }

  private static DataplaneRoute process(String path, @Nullable String part) {
    if (part == null) {
      return plain(path, PROCESS, List.of("GET", "DELETE"));
    }
    return switch (part) {
      case "/attach" -> frames(path, PROCESS);
      case "/output" -> plain(path, PROCESS, READ);
      default -> plain(path, PROCESS, POST);
    };
  }

  private static Optional<DataplaneRoute> port(String path) {
    Matcher matcher = PORT_PATH.matcher(path);
    boolean good =
        matcher.matches()
            && Integer.parseInt(matcher.group(1)) <= MAX_PORT
            && !climbs(matcher.group(2));
    return good
        ? Optional.of(new DataplaneRoute(path, PORT, PORT_METHODS, Kind.PORT))
        : Optional.empty();
  }

  /** Whether a path has a segment that is . or .., encoded or not. */
  static boolean climbs(String path) {
    if (path.indexOf("/.") < 0 && path.indexOf('%') < 0) {
      return false;
    }
    for (String segment : path.split("/", -1)) {
      String plain = segment.replaceAll("%2[eE]", ".");
      if (plain.equals(".") || plain.equals("..")) {
        return true;
      }
    }
    return false;
  }

  private static DataplaneRoute plain(
      String path, @Nullable Capability capability, List<String> methods) {
    return new DataplaneRoute(path, capability, methods, Kind.PLAIN);
  }

  private static DataplaneRoute frames(String path, Capability capability) {
    return new DataplaneRoute(path, capability, GET, Kind.FRAMES);
  }
}
