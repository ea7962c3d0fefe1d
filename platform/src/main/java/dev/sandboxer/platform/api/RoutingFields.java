package dev.sandboxer.platform.api;

import dev.sandboxer.platform.pricing.Money;
import dev.sandboxer.platform.routing.RequestedRouting;
import dev.sandboxer.platform.routing.Routing;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.ExtensionDescriptor.Hosting;
import dev.sandboxer.spi.ExtensionDescriptor.Persistence;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The fields {@code routing} and {@code max_cost} of a request, as in the profile language. */
public final class RoutingFields {

  private static final int MOST = 16;
  private static final int MAX_LABEL = 256;
  private static final Pattern EXTENSION = Pattern.compile("ext\\.[a-z0-9][a-z0-9-]{0,39}");
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");
  private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,62}");
  private static final Pattern AMOUNT = Pattern.compile("[0-9]{1,12}(\\.[0-9]{1,12})?");
  private static final Pattern CURRENCY = Pattern.compile("[A-Z]{3}");
  private static final String NAMED = "lower case letters, digits and dashes";

  private RoutingFields() {}

  /**
   * Reads {@code routing}.
   *
   * @param body of the request
   * @return what it says; empty if the field is absent
   */
  public static Optional<RequestedRouting> routing(Body body) {
    return body.optionalObject("routing").map(RoutingFields::read);
  }

  private static RequestedRouting read(Body body) {
    body.only("strategy", "candidates", "require", "prefer");
    Optional<Body> require = body.optionalObject("require");
    return new RequestedRouting(
        body.optionalText("strategy", NAME, NAMED).orElse(null),
        body.optionalObjects("candidates", "extension", MOST).stream()
            .map(RoutingFields::wanted)
            .toList(),
        require.map(RoutingFields::require).orElse(Routing.Require.NOTHING),
        body.texts("prefer", LABEL, "1 to 63 of A-Za-z0-9._/-", MOST, MAX_LABEL));
  }

  private static Routing.Wanted wanted(Body body) {
    body.only("extension", "host");
    return new Routing.Wanted(
        new ExtensionId(body.text("extension", EXTENSION, "ext.<name>")),
        body.optionalText("host", NAME, NAMED).orElse(null));
  }

  private static Routing.Require require(Body body) {
    body.only("region", "arch", "persistence", "hosting", "labels");
    return new Routing.Require(
        body.optionalText("region", NAME, NAMED).orElse(null),
        body.optionalText("arch", Pattern.compile("[a-z0-9_]{1,20}"), "such as amd64").orElse(null),
        constant(body, "persistence", Persistence.values()),
        constant(body, "hosting", Hosting.values()),
        body.texts("labels", LABEL, "1 to 63 of A-Za-z0-9._/-", MOST, MAX_LABEL));
  }

  private static <E extends Enum<E>> @Nullable E constant(Body body, String name, E[] all) {
    List<String> names =
        Arrays.stream(all).map(one -> one.name().toLowerCase(Locale.ROOT)).toList();
    return body.optionalText(
            name,
            Pattern.compile(names.stream().collect(Collectors.joining("|"))),
            "one of " + names)
        .map(names::indexOf)
        .map(index -> all[index])
        .orElse(null);
  }

  /**
   * Reads {@code max_cost}.
   *
   * @param body of the request
   * @return the money; empty if the field is absent
   */
  public static Optional<Money> maxCost(Body body) {
    return body.optionalObject("max_cost")
        .map(
            cost -> {
              cost.only("amount", "currency");
              String amount = cost.text("amount", AMOUNT, "a decimal text such as \"0.50\"");
              try {
                return Money.of(amount, cost.text("currency", CURRENCY, "an ISO 4217 code"));
              } catch (IllegalArgumentException e) {
                throw cost.invalid("field 'max_cost': " + e.getMessage());
              }
            });
  }
}
