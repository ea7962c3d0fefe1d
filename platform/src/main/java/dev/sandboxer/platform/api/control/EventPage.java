package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.event.EventBody;
import dev.sandboxer.platform.event.Gap;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A page of events.
 *
 * @param items oldest first
 * @param nextCursor for {@code ?cursor=}, null on the last page
 * @param gap what is no longer kept of what was asked for; left out if nothing is missing
 */
@Schema(name = "EventPage")
record EventPage(
    List<EventBody> items,
    @Nullable String nextCursor,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Gap gap) {}
