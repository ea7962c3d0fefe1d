@NullMarked
package dev.sandboxer.platform.api.control;

import org.jspecify.annotations.NullMarked;
