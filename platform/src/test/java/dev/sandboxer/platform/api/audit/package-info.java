@NullMarked
package dev.sandboxer.platform.api.audit;

import org.jspecify.annotations.NullMarked;
