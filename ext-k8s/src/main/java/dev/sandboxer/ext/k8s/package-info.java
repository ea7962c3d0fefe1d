/**
 * Pods of Kubernetes. A sandbox is a pod with a network policy of its own; boxd is its first
 * process and is reached by a port-forward of the API server. Rights in one namespace are enough.
 */
@NullMarked
package dev.sandboxer.ext.k8s;

import org.jspecify.annotations.NullMarked;
