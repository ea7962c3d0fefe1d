@NullMarked
package dev.sandboxer.ext.k8s;

import org.jspecify.annotations.NullMarked;
