/** What features say of their own health; Quarkus serves it below {@code /q/health}. */
@NullMarked
package dev.sandboxer.platform.health;

import org.jspecify.annotations.NullMarked;
