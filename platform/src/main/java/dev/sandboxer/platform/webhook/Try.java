package dev.sandboxer.platform.webhook;

/**
 * One try to deliver.
 *
 * @param eventId of the message
 * @param type of the message
 * @param cause why it was sent
 * @param attempt from 1
 * @param outcome how it went
 * @param millis how long it took
 */
record Try(String eventId, String type, Cause cause, int attempt, Outcome outcome, long millis) {}
