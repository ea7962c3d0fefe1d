package dev.sandboxer.ext.e2b.life;

import dev.sandboxer.ext.e2b.cloud.Account;
import dev.sandboxer.ext.e2b.cloud.ControlPlane;
import dev.sandboxer.ext.e2b.cloud.Size;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CostQuery;
import dev.sandboxer.spi.ExtensionDescriptor.PricingModel;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.MeterQuote;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Quotes by the rates of E2B's documentation as of 2026-11-23 and the template's size. A price list
 * of the operator takes their place: no call of E2B's API says a price.
 */
final class Prices {

  private static final BigDecimal VCPU_SECOND = new BigDecimal("0.000014");
  private static final BigDecimal GIB_SECOND = new BigDecimal("0.0000045");
  private static final BigDecimal MIB_PER_GIB = BigDecimal.valueOf(1024);
  private static final int PLACES = 8;
  private static final Duration VALID = Duration.ofDays(1);
  private static final Duration KNOWN = Duration.ofMinutes(5);

  private record Sizes(Map<String, Size> byTemplate, Instant until) {}

  private final ControlPlane cloud;
  private final InstantSource clock;
  private final Map<String, Sizes> known = new ConcurrentHashMap<>();

  Prices(ControlPlane cloud, InstantSource clock) {
    this.cloud = cloud;
    this.clock = clock;
  }

  MeterQuote quote(Account account, CostQuery query, Call call) throws ExtensionException {
    String template = Requests.template(account, query.spec());
    Size size = sizes(account, call).getOrDefault(template.replaceFirst(":.*", ""), Size.DEFAULT);
    BigDecimal second =
        VCPU_SECOND
            .multiply(BigDecimal.valueOf(size.vcpus()))
            .add(
                GIB_SECOND
                    .multiply(BigDecimal.valueOf(size.memoryMib()))
                    .divide(MIB_PER_GIB, 16, RoundingMode.HALF_UP));
    long seconds = query.duration().plusSeconds(1).minusNanos(1).toSeconds();
    return new MeterQuote(
        second.multiply(BigDecimal.valueOf(seconds)).setScale(PLACES, RoundingMode.HALF_UP),
        "USD",
        PricingModel.ALLOCATED,
        Duration.ZERO,
        Duration.ofSeconds(1),
        clock.instant().plus(VALID));
  }

  private Map<String, Size> sizes(Account account, Call call) throws ExtensionException {
    String place = account.host() + " " + account.api();
    Sizes sizes = known.get(place);
    Instant now = clock.instant();
    if (sizes == null || sizes.until().isBefore(now)) {
      sizes = new Sizes(cloud.templates(account, call), now.plus(KNOWN));
      known.put(place, sizes);
    }
    return sizes.byTemplate();
  }
}
