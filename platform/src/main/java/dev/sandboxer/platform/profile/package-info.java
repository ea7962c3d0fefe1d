/** Profiles: named, versioned recipes of sandboxes, read from YAML and kept in the database. */
@NullMarked
package dev.sandboxer.platform.profile;

import org.jspecify.annotations.NullMarked;
