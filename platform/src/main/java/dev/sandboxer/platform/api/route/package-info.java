/** {@code /v1/routes}, and where a sandbox's route is shown. */
@NullMarked
package dev.sandboxer.platform.api.route;

import org.jspecify.annotations.NullMarked;
