@NullMarked
package dev.sandboxer.platform.egress;

import org.jspecify.annotations.NullMarked;
