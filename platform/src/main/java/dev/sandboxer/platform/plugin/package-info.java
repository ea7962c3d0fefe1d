/**
 * Plug-ins beside the backends, such as sinks of events and stores of secrets: kinds from folders
 * of jars, each plug-in from a small YAML file of the operator's.
 */
@NullMarked
package dev.sandboxer.platform.plugin;

import org.jspecify.annotations.NullMarked;
