/** The distribution as its users meet it: processes, HTTP, the command line. */
@NullMarked
package dev.sandboxer.e2e;

import org.jspecify.annotations.NullMarked;
