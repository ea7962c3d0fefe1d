package dev.sandboxer.ext.compose.project;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Resources;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What each service gets of the sandbox's limits: what the file says, and of the rest an equal
 * share. Together they never have more than the sandbox.
 */
final class Shares {

  private static final int CPU_DIGITS = 2;

  private static final String LIMITS = "/deploy/resources/limits/";

  private final BigDecimal cpus;
  private final BigDecimal memory;
  private final BigDecimal pids;
  private final Resources resources;

  Shares(Places places, JsonNode services, Resources resources) throws ExtensionException {
    this.resources = resources;
    this.cpus = rest(places, services, "cpus", resources.cpus(), Shares::cpus, CPU_DIGITS);
    BigDecimal bytes = BigDecimal.valueOf(resources.memoryBytes());
    this.memory = rest(places, services, "memory", bytes, Shares::memory, 0);
    this.pids = rest(places, services, "pids", new BigDecimal(resources.pids()), Shares::pids, 0);
  }

  private static BigDecimal rest(
      Places places,
      JsonNode services,
      String what,
      BigDecimal all,
      Function<JsonNode, Optional<BigDecimal>> own,
      int digits)
      throws ExtensionException {
    BigDecimal rest = all;
    int without = 0;
    for (Map.Entry<String, JsonNode> one : services.properties()) {
      Optional<BigDecimal> said = own.apply(one.getValue());
      rest = rest.subtract(said.orElse(BigDecimal.ZERO));
      without += said.isEmpty() ? 1 : 0;
    }
    // boxd never says anything, so that there is always one.
    BigDecimal share =
        rest.divide(BigDecimal.valueOf(Math.max(1, without)), digits, RoundingMode.DOWN);
    if (share.signum() <= 0) {
      throw places.refused(
          List.of("services"),
          "resources.%s of the sandbox is %s, and of that the limits of the services leave nothing for the others and for commands"
              .formatted(what, all.toPlainString()));
    }
    return share;
  }

  private static Optional<BigDecimal> cpus(JsonNode service) {
    return first(service, LIMITS + "cpus", "/cpus");
  }

  private static Optional<BigDecimal> memory(JsonNode service) {
    return first(service, LIMITS + "memory", "/mem_limit");
  }

  private static Optional<BigDecimal> pids(JsonNode service) {
    return first(service, LIMITS + "pids", "/pids_limit");
  }

  private static Optional<BigDecimal> first(JsonNode service, String... places) {
    for (String place : places) {
      String text = service.at(place).asText();
      if (text.matches("[0-9.]{1,20}") && new BigDecimal(text).signum() > 0) {
        return Optional.of(new BigDecimal(text));
      }
    }
    return Optional.empty();
  }

  void set(String name, ObjectNode service) {
    BigDecimal bytes = memory(service).orElse(memory);
    long processes = pids(service).orElse(pids).longValue();
    BigDecimal cores = cpus(service).orElse(cpus);
    service.remove(List.of("cpus", "mem_limit", "memswap_limit", "pids_limit", "deploy"));
    ObjectNode limits = service.putObject("deploy").putObject("resources").putObject("limits");
    limits.put("cpus", cores.doubleValue()).put("memory", bytes.toBigInteger().toString());
    limits.put("pids", processes + (name.equals(Effective.BOXD) ? Daemon.RESERVED_PIDS : 0));
    service.put("memswap_limit", bytes.toBigInteger().toString());
    JsonNode nofile = service.at("/ulimits/nofile");
    long asked = nofile.isObject() ? nofile.path("hard").asLong() : nofile.asLong();
    long files = asked > 0 ? Math.min(asked, resources.openFiles()) : resources.openFiles();
    ObjectNode ulimits = service.putObject("ulimits");
    ulimits.putObject("nofile").put("soft", files).put("hard", files);
    ulimits.putObject("core").put("soft", 1).put("hard", 1);
  }
}
