/**
 * The files of a project, what of them is refused, and what is made of them: one file that says
 * everything, so that what was checked is what runs.
 */
@NullMarked
package dev.sandboxer.ext.compose.project;

import org.jspecify.annotations.NullMarked;
