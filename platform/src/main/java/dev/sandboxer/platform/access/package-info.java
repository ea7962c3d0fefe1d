/** Tenants, keys, roles: who may do what. */
@NullMarked
package dev.sandboxer.platform.access;

import org.jspecify.annotations.NullMarked;
