/**
 * Sandboxes as containers of a Docker Engine on the platform's own machine.
 *
 * <p>A container has a name that its identity fixes, so that the Engine itself keeps it single, and
 * labels with the identity and the platform's signature. boxd is mounted from outside and is the
 * container's first process; the image needs nothing but a folder tree. Each sandbox has a folder
 * of its own with boxd's config and its socket.
 */
@NullMarked
package dev.sandboxer.ext.docker;

import org.jspecify.annotations.NullMarked;
