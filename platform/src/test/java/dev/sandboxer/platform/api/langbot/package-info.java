@NullMarked
package dev.sandboxer.platform.api.langbot;

import org.jspecify.annotations.NullMarked;
