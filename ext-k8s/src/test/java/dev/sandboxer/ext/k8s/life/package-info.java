@NullMarked
package dev.sandboxer.ext.k8s.life;

import org.jspecify.annotations.NullMarked;
