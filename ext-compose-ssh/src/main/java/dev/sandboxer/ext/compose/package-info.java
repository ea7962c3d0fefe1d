/**
 * Projects of Docker Compose on machines that are reached by SSH. A sandbox is a project; boxd is
 * one more service of it, in the network and with the volumes of the service that the profile
 * names. Nothing but the Engine, Compose and a POSIX shell is needed there.
 */
@NullMarked
package dev.sandboxer.ext.compose;

import org.jspecify.annotations.NullMarked;
