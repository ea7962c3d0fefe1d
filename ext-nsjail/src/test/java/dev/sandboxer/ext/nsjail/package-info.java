/** Tests of the nsjail extension; those named IT start real jails. */
@NullMarked
package dev.sandboxer.ext.nsjail;

import org.jspecify.annotations.NullMarked;
