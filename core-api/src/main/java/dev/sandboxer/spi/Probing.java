package dev.sandboxer.spi;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
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
   * @param room what the host has in all, empty if the backend cannot tell
   * @param runtimes names of container runtimes that {@link SandboxSpec#runtime()} may have there,
   *     an empty set if it may have none; empty if the backend cannot tell
   */
  record Probe(
      boolean usable,
      Set<Limit> notEnforced,
      List<Check> checks,
      Optional<Room> room,
      Optional<Set<String>> runtimes) {

    /** Keeps immutable copies. */
    public Probe {
      notEnforced = Set.copyOf(notEnforced);
      checks = List.copyOf(checks);
      runtimes = runtimes.map(Set::copyOf);
    }

    /**
     * A result that does not tell the host's runtimes.
     *
     * @param usable whether a sandbox can be established
     * @param notEnforced limits of the descriptor that this host cannot enforce
     * @param checks what was looked at, in order
     * @param room what the host has in all, empty if the backend cannot tell
     */
    public Probe(boolean usable, Set<Limit> notEnforced, List<Check> checks, Optional<Room> room) {
      this(usable, notEnforced, checks, room, Optional.empty());
    }

    /**
     * A result that does not tell the host's room.
     *
     * @param usable whether a sandbox can be established
     * @param notEnforced limits of the descriptor that this host cannot enforce
     * @param checks what was looked at, in order
     */
    public Probe(boolean usable, Set<Limit> notEnforced, List<Check> checks) {
      this(usable, notEnforced, checks, Optional.empty());
    }

    /**
     * The same with what the host has.
     *
     * @param found in all, used or not
     * @return a copy
     */
    public Probe withRoom(Room found) {
      return new Probe(usable, notEnforced, checks, Optional.of(found), runtimes);
    }

    /**
     * The same with the runtimes that a sandbox may ask for.
     *
     * @param found their names, none if it may ask for none
     * @return a copy
     */
    public Probe withRuntimes(Set<String> found) {
      return new Probe(usable, notEnforced, checks, room, Optional.of(found));
    }
  }

  /**
   * What a host has in all, used or not.
   *
   * @param cpus above 0
   * @param memoryBytes above 0
   */
  record Room(BigDecimal cpus, long memoryBytes) {

    /** Checks the values. */
    public Room {
      if (cpus.signum() <= 0 || memoryBytes <= 0) {
        throw new IllegalArgumentException("cpus and memory of a host must be above 0");
      }
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
