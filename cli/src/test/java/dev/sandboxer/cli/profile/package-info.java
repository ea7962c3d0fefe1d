@NullUnmarked
package dev.sandboxer.cli.profile;

import org.jspecify.annotations.NullUnmarked;
