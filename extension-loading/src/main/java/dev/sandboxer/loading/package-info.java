/**
 * How a folder of jars becomes an extension: the rules that the platform applies when it starts,
 * and {@code sandboxer extension check} before that.
 */
@NullMarked
package dev.sandboxer.loading;

import org.jspecify.annotations.NullMarked;
