/**
 * A cluster as operators register it: how its API server is asked, watched and streamed through.
 */
@NullMarked
package dev.sandboxer.ext.k8s.cluster;

import org.jspecify.annotations.NullMarked;
