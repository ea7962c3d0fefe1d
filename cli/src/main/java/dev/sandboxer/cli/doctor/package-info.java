/** The verb doctor: what this machine has, lacks, and what mends it. */
@NullMarked
package dev.sandboxer.cli.doctor;

import org.jspecify.annotations.NullMarked;
