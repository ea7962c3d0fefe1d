/** The verbs about keys, tenants, profiles and extensions. */
@NullMarked
package dev.sandboxer.cli.admin;

import org.jspecify.annotations.NullMarked;
