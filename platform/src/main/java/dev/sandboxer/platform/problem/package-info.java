/** Errors as callers see them: one enum of codes, one body for REST, relay and streams. */
@NullMarked
package dev.sandboxer.platform.problem;

import org.jspecify.annotations.NullMarked;
