/**
 * A client of one sandbox's dataplane.
 *
 * <p>{@link dev.sandboxer.dataplane.Connections} holds the network connections of a program, {@link
 * dev.sandboxer.dataplane.Dataplane} is one sandbox with a token that is renewed by a {@link
 * dev.sandboxer.dataplane.GrantSource}. Each feature is a package with a class that takes a {@code
 * Dataplane}: {@code exec} (commands and shells), {@code file} (files and folders), {@code process}
 * (managed processes and their logs), {@code port} (byte streams). {@code archive} packs and
 * unpacks tar by itself.
 *
 * <p>Every call blocks; an interrupt of the calling thread ends it with {@link
 * java.lang.InterruptedException}. What goes wrong is a {@link
 * dev.sandboxer.dataplane.DataplaneException}. A sandbox is hostile: whatever it answers, a call
 * holds a bounded part of it, and the texts of exceptions may contain control characters of the
 * sandbox. The packages {@code frame}, {@code http} and {@code websocket} are what the others are
 * built of, and may change.
 */
@NullMarked
package dev.sandboxer.dataplane;

import org.jspecify.annotations.NullMarked;
