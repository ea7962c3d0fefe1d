package dev.sandboxer.platform.webhook;

import java.util.List;
import java.util.Optional;

/**
 * What is wanted of a webhook; what is empty stays as it is, or is as for a new one.
 *
 * @param url to call
 * @param description for people
 * @param types wanted types or prefixes that end in {@code .*}; an empty list for all
 * @param profiles whose sandboxes are wanted; an empty list for all
 * @param enabled whether it gets anything
 */
public record RequestedWebhook(
    Optional<String> url,
    Optional<String> description,
    Optional<List<String>> types,
    Optional<List<String>> profiles,
    Optional<Boolean> enabled) {}
