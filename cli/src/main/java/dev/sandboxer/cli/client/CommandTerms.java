package dev.sandboxer.cli.client;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * Says by options and verbs what the platform says by fields and calls of its API, which somebody
 * at a terminal has never sent.
 */
final class CommandTerms {
  private static final Map<String, String> OPTIONS =
      Map.of(
          "ttl_seconds", "--ttl",
          "consumer.project", "--project",
          "profile", "--profile",
          "labels", "--label",
          "inputs", "--input",
          "env", "--env",
          "mounts", "--mount");

  private static final Map<String, String> CALLS =
      Map.of(
          "POST /v1/hosts", "'sandboxer hosts add'",
          "POST /v1/tenants", "'sandboxer tenants create'",
          "POST /v1/archives", "'sandboxer archive add'",
          "POST /v1/volumes (sandboxer volume create)", "'sandboxer volume create'",
          "GET /v1/sandboxes/{id}", "'sandboxer inspect'",
          "; see GET /v1/ports", "",
          "; GET / lists what there is", "");

  private static final Pattern FIELD = Pattern.compile("(field |in )'([a-z_.]+)'");

  private CommandTerms() {}

  /** A message of the platform, for the command line. */
  static String of(String message) {
    String text = message;
    for (Map.Entry<String, String> call : CALLS.entrySet()) {
      text = text.replace(call.getKey(), call.getValue());
    }
    return FIELD
        .matcher(text)
        .replaceAll(
            field -> {
              String option = OPTIONS.get(field.group(2));
              return option == null ? field.group() : field.group(1).replace("field ", "") + option;
            });
  }
}
