@NullMarked
package dev.sandboxer.platform.connection;

import org.jspecify.annotations.NullMarked;
