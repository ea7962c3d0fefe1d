/** Tests of the Kubernetes extension against a real cluster. */
@NullMarked
package dev.sandboxer.ext.k8s;

import org.jspecify.annotations.NullMarked;
