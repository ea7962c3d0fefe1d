package dev.sandboxer.platform.id;

import java.time.Instant;

/**
 * The last row of a page, after which the next page starts.
 *
 * @param at the time by which the list is ordered
 * @param id of the row, for rows with the same time
 */
public record RowPosition(Instant at, String id) {}
