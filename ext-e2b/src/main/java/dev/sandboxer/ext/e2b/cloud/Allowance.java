package dev.sandboxer.ext.e2b.cloud;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The longest life that an account may ask for, which only a refusal says. */
final class Allowance {

  private static final Pattern HOURS = Pattern.compile("cannot be greater than ([0-9]{1,4}) hour");

  private Allowance() {}

  static Optional<Duration> of(Answer answer) {
    Matcher matcher = HOURS.matcher(answer.body().path("message").asText(""));
    return answer.status() == 400 && matcher.find()
        ? Optional.of(Duration.ofHours(Long.parseLong(matcher.group(1))))
        : Optional.empty();
  }
}
