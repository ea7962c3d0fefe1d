/** The platform own front door: sandboxes, profiles, extensions, keys, tenants, health. */
@NullMarked
package dev.sandboxer.platform.api.control;

import org.jspecify.annotations.NullMarked;
