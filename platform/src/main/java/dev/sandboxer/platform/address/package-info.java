/** Which network addresses the platform calls on behalf of tenants. */
@NullMarked
package dev.sandboxer.platform.address;

import org.jspecify.annotations.NullMarked;
