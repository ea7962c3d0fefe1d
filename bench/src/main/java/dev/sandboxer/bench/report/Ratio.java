package dev.sandboxer.bench.report;

/**
 * A figure beside its floor.
 *
 * @param value the p50 divided by the floor's
 * @param floor the id of the floor's row
 */
public record Ratio(double value, String floor) {}
