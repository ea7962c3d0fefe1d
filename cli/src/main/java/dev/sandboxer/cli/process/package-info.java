/** The processes of a sandbox that go on without a client. */
@NullMarked
package dev.sandboxer.cli.process;

import org.jspecify.annotations.NullMarked;
