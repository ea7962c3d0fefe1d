/** Named volumes of tenants: their records, who holds them, and the work on their backends. */
@NullMarked
package dev.sandboxer.platform.volume;

import org.jspecify.annotations.NullMarked;
