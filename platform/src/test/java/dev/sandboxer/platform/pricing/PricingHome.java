package dev.sandboxer.platform.pricing;

import dev.sandboxer.platform.extension.Registries;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.CostQuery;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxSpec;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A home with price lists, and a clock that a test moves. */
final class PricingHome {

  private final Path folder;
  private final String currency;
  private final MovedClock clock = new MovedClock();

  PricingHome(Path folder, String currency) {
    this.folder = folder;
    this.currency = currency;
  }

  Path state(String extension) {
    return folder.resolve("home/state").resolve(extension);
  }

  void write(String name, String text) throws IOException {
    Path prices = Files.createDirectories(folder.resolve("home/prices"));
    Files.writeString(prices.resolve(name), text);
  }

  void delete(String name) throws IOException {
    Files.delete(folder.resolve("home/prices").resolve(name));
  }

  void itIs(String time) {
    clock.now = Instant.parse(time);
  }

  Settings settings() {
    return Settings.load(home(), Map.of("SANDBOXER_CURRENCY", currency)::get);
  }

  private Home home() {
    return Home.open(folder.resolve("home"));
  }

  PriceLists lists() {
    return new PriceLists(home(), settings(), clock);
  }

  Quotes quotes(PriceLists lists) {
    Registries.Callable extensions = Registries.callable(folder);
    return new Quotes(
        lists,
        new ExtensionQuotes(extensions.calls(), clock),
        extensions.registry(),
        clock,
        settings());
  }

  static Quotes.Place place(String extension, String host) {
    return new Quotes.Place(new ExtensionId(extension), new HostRef(host, HostRef.LOCAL), null);
  }

  /** Two CPUs and half a GiB. */
  static CostQuery query(Duration duration, double activeShare, @Nullable String region) {
    Resources size = new Resources(new BigDecimal("2"), 512L << 20, 64, 1L << 28, 1L << 26, 1024);
    SandboxSpec spec =
        SandboxSpec.builder("profile.x", 1, IsolationLevel.CONTAINER, size, Duration.ofHours(8))
            .build();
    return new CostQuery(spec, duration, activeShare, region);
  }

  static CostQuery hour() {
    return query(Duration.ofHours(1), 1, null);
  }

  private static final class MovedClock extends Clock {

    private volatile Instant now = Instant.parse("2026-11-24T12:00:00Z");

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return now;
    }
  }
}
