/** What stands in a cluster of a sandbox, from its making to its removal. */
@NullMarked
package dev.sandboxer.ext.k8s.life;

import org.jspecify.annotations.NullMarked;
