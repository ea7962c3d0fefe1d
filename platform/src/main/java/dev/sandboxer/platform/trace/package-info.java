/**
 * Traces: what one request has caused, from the front door to the backend and boxd, exported over
 * OTLP. Off unless an endpoint is set; then no class of the OpenTelemetry SDK is loaded.
 */
@NullMarked
package dev.sandboxer.platform.trace;

import org.jspecify.annotations.NullMarked;
