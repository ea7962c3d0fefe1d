package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.address.HostPattern;
import dev.sandboxer.platform.secret.SecretRef.Use;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;

/**
 * A secret that the proxy adds to requests, so that it never enters the sandbox. It permits
 * nothing: the rules must allow its hosts as well.
 *
 * @param hosts that get it, in TLS alone
 * @param kind how it comes into a request
 * @param source of its value
 */
public record EgressSecret(List<HostPattern> hosts, Kind kind, Source source) {

  /** Keeps an immutable copy. */
  public EgressSecret {
    hosts = List.copyOf(hosts);
  }

  /** How a value comes into a request. */
  public sealed interface Kind {

    /**
     * A header of each request, instead of any of that name which the program has sent.
     *
     * @param name of the header
     * @param before the value in it, such as {@code Bearer} and a space
     * @param after the value in it
     */
    record Header(String name, String before, String after) implements Kind {

      private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}");
      private static final Pattern TEXT = Pattern.compile("[ -~]{0,256}");

      /** Checks that it is a header, and not one that frames or routes requests. */
      public Header {
        if (!NAME.matcher(name).matches()
            || Use.Header.OF_REQUESTS.contains(name.toLowerCase(Locale.ROOT))) {
          throw new IllegalArgumentException("'%s' cannot be a secret's header".formatted(name));
        }
        if (!TEXT.matcher(before).matches() || !TEXT.matcher(after).matches()) {
          throw new IllegalArgumentException(
              "what stands around a secret must be at most 256 characters of ASCII");
        }
      }
    }

    /**
     * The value instead of a text, wherever that occurs in the value of a header that the program
     * sends, in {@code Authorization: Basic} too.
     *
     * @param text that the program has in place of the secret
     */
    record Placeholder(String text) implements Kind {

      private static final Pattern TEXT = Pattern.compile("[!-~]{8,256}");

      /** Checks that it can be found. */
      public Placeholder {
        if (!TEXT.matcher(text).matches()) {
          throw new IllegalArgumentException(
              "a placeholder must have 8 to 256 characters of ASCII and no space");
        }
      }
    }
  }

  /** Knows a value. */
  @FunctionalInterface
  public interface Source {

    /**
     * Gets the value, for each request that needs it. Called on an event loop, which it must not
     * block.
     *
     * @return the value, or an {@link UnavailableException}, whose message the program gets
     */
    CompletionStage<String> value();
  }

  /** A value cannot be had. */
  public static final class UnavailableException extends Exception {

    private static final long serialVersionUID = 1L;

    /**
     * Says why.
     *
     * @param message for the program; never with the value
     */
    public UnavailableException(String message) {
      super(message);
    }
  }

  @Override
  public String toString() {
    return "EgressSecret[hosts=%s, kind=%s]".formatted(hosts, kind);
  }
}
