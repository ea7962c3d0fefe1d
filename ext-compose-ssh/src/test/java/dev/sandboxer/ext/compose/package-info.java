/** Tests on a real sshd and a real Engine. */
@NullMarked
package dev.sandboxer.ext.compose;

import org.jspecify.annotations.NullMarked;
