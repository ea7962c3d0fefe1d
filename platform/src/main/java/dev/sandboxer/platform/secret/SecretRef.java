package dev.sandboxer.platform.secret;

import dev.sandboxer.platform.address.HostPattern;
import java.util.List;
import java.util.Set;

/**
 * A secret of a profile.
 *
 * @param name of the variable or file inside
 * @param reference where it is
 * @param use what becomes of it
 */
public record SecretRef(String name, Reference reference, Use use) {

  /** What becomes of a secret. */
  public sealed interface Use {

    /** A variable of every process inside. */
    record Env() implements Use {}

    /** A file that only the sandbox's user may read. */
    record InFile() implements Use {}

    /**
     * A header that the egress proxy sets in requests; the value never enters the sandbox.
     *
     * @param hosts of these requests
     * @param header its name
     * @param before what stands before the value
     * @param after what stands after it
     */
    record Header(List<HostPattern> hosts, String header, String before, String after)
        implements Use {

      /** Headers that frame or route a request, in lower case: none of them holds a secret. */
      public static final Set<String> OF_REQUESTS =
          Set.of(
              "connection",
              "content-length",
              "expect",
              "host",
              "keep-alive",
              "proxy-connection",
              "te",
              "trailer",
              "transfer-encoding",
              "upgrade");

      /** Keeps an immutable copy. */
      public Header {
        hosts = List.copyOf(hosts);
      }
    }

    /**
     * A variable with a placeholder, which the egress proxy replaces by the value in headers of
     * requests; the value never enters the sandbox.
     *
     * @param hosts of these requests
     */
    record Placeholder(List<HostPattern> hosts) implements Use {

      /** Keeps an immutable copy. */
      public Placeholder {
        hosts = List.copyOf(hosts);
      }
    }

    /**
     * The password of a login with which the backend fetches the image; it never enters the
     * sandbox.
     *
     * @param registry that alone gets it, as names of images have it
     * @param username of the login
     */
    record Login(String registry, String username) implements Use {}
  }

  /** Whether a file of it, or an authority for the requests that get it, lies in the sandbox. */
  public boolean needsFiles() {
    return !(use instanceof Use.Env || use instanceof Use.Login);
  }

  /** Whether a process inside has a variable of this name. */
  public boolean variable() {
    return use instanceof Use.Env || use instanceof Use.Placeholder;
  }
}
