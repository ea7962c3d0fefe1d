@NullMarked
package dev.sandboxer.cli.k8s;

import org.jspecify.annotations.NullMarked;
