/**
 * Webhooks, signed as <a href="https://www.standardwebhooks.com">Standard Webhooks</a> says: sinks
 * that tenants own.
 */
@NullMarked
package dev.sandboxer.platform.webhook;

import org.jspecify.annotations.NullMarked;
