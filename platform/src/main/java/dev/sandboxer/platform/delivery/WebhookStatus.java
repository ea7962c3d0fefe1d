package dev.sandboxer.platform.delivery;

/**
 * How the tenants' receivers fare, all together. What one tenant's receiver does is that tenant's.
 *
 * @param all how many there are
 * @param failing whose last try failed, without paused ones
 * @param paused that get nothing now
 * @param lag events that those have not got which are not paused
 * @param lagSeconds for how long the slowest subject of these has not moved, without what is set
 *     aside
 * @param parked subjects that wait behind an event that was given up
 */
public record WebhookStatus(
    long all, long failing, long paused, long lag, double lagSeconds, long parked) {

  static final WebhookStatus NONE = new WebhookStatus(0, 0, 0, 0, 0, 0);
}
