package dev.sandboxer.spi;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An extension that can say by trying whether it works on a host. */
public interface Probing {

  /**
   * Tries the backend for real, such as by starting and ending a small sandbox.
   *
   * @param host to try
   * @param call deadline and cancellation
   * @return what was found; a backend that cannot be used is a result, not an exception
   */
  Probe probe(HostRef host, Call call);

  /**
   * What was found.
   *
   * @param usable whether a sandbox can be established
   * @param notEnforced limits of the descriptor that this host cannot enforce
   * @param checks what was looked at, in order
   */
  record Probe(boolean usable, Set<Limit> notEnforced, List<Check> checks) {

    /** Keeps immutable copies. */
    public Probe {
      notEnforced = Set.copyOf(notEnforced);
      checks = List.copyOf(checks);
    }
  }

  /**
   * One thing that was looked at.
   *
   * @param name in snake_case
   * @param ok whether it is as it should be
   * @param detail what was found, for a person
   * @param remedy the one command that mends it, null if there is nothing to mend
   */
  record Check(String name, boolean ok, String detail, @Nullable String remedy) {}
}
