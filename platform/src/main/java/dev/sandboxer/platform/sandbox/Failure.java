package dev.sandboxer.platform.sandbox;

/**
 * Why a sandbox failed.
 *
 * @param code of the extension's or the platform's failure
 * @param message for a person
 * @param retryable whether the same request may succeed later
 */
public record Failure(String code, String message, boolean retryable) {}
