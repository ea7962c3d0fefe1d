package dev.sandboxer.cli.pipeline;

import dev.sandboxer.cli.Failure;
import java.util.regex.Pattern;

/** Where pipelines are in the API. An id becomes part of a path, so it is checked here. */
final class PipelinePath {
  static final String ALL = "/v1/pipelines";

  private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

  private PipelinePath() {}

  /** The path of the pipeline whose id a person gave. */
  static String of(String id) {
    if (!ID.matcher(id).matches()) {
      throw Failure.usage(
          "\"" + id + "\" is no pipeline's id: 1 to 128 of A-Za-z0-9._-, a letter or digit first");
    }
    return ALL + "/" + id;
  }
}
