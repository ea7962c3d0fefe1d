@NullMarked
package dev.sandboxer.platform.provisioning;

import org.jspecify.annotations.NullMarked;
