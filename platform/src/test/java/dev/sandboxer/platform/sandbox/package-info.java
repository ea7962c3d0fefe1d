@NullMarked
package dev.sandboxer.platform.sandbox;

import org.jspecify.annotations.NullMarked;
