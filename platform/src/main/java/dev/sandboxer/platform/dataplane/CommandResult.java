package dev.sandboxer.platform.dataplane;

import java.time.Duration;
import java.util.Optional;

/**
 * How a command ended. Code inside the sandbox may have made it up; its form is checked.
 *
 * @param exitCode 0 to 255, empty if a signal ended it
 * @param signal that ended it, such as {@code SIGKILL}, empty if it exited
 * @param timedOut whether it was killed because its timeout passed
 * @param oomKills processes of the sandbox that the kernel ended for lack of memory meanwhile
 * @param stdout what it wrote there
 * @param stderr what it wrote there
 * @param duration from its start to its end, as boxd counted it
 */
public record CommandResult(
    Optional<Integer> exitCode,
    Optional<String> signal,
    boolean timedOut,
    long oomKills,
    CommandOutput stdout,
    CommandOutput stderr,
    Duration duration) {}
