/**
 * Sessions: a tenant's scopes (threads, users, runs ...) bound to sandboxes, with leases. Both
 * front doors stand on {@link dev.sandboxer.platform.session.Sessions}.
 */
@NullMarked
package dev.sandboxer.platform.session;

import org.jspecify.annotations.NullMarked;
