/** The verb k8s: what an operator needs to prepare a cluster. */
@NullMarked
package dev.sandboxer.cli.k8s;

import org.jspecify.annotations.NullMarked;
