package dev.sandboxer.platform.event;

import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * Events that are no longer kept, or that a restored database does not know, so that who asks for
 * them is told.
 *
 * @param from first number
 * @param to last number
 */
@Schema(name = "EventGap", description = "Events that are no longer kept")
public record Gap(long from, long to) {}
