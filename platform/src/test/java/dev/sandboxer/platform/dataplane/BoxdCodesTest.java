package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.problem.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** boxd's codes, the platform's and the tables of docs/dataplane.md are one vocabulary. */
class BoxdCodesTest {

  private static final Path CHECKOUT = Path.of("..");
  private static final Pattern CODE = Pattern.compile("(?m)^\\t(\\w+) +Code = \"([A-Z_]+)\"");
  private static final Pattern STATUS = Pattern.compile("(?m)^\\t(\\w+): +http\\.Status(\\w+),");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| ([0-9, ]+) \\| ([A-Z_, ]+) \\|");

  /** Go's names of the statuses that boxd uses. */
  private static final Map<String, Integer> STATUSES =
      Map.ofEntries(
          Map.entry("BadRequest", 400),
          Map.entry("Unauthorized", 401),
          Map.entry("Forbidden", 403),
          Map.entry("NotFound", 404),
          Map.entry("MethodNotAllowed", 405),
          Map.entry("Conflict", 409),
          Map.entry("PreconditionFailed", 412),
          Map.entry("RequestEntityTooLarge", 413),
          Map.entry("UnsupportedMediaType", 415),
          Map.entry("UnprocessableEntity", 422),
          Map.entry("Locked", 423),
          Map.entry("TooManyRequests", 429),
          Map.entry("RequestHeaderFieldsTooLarge", 431),
          Map.entry("InternalServerError", 500),
          Map.entry("BadGateway", 502),
          Map.entry("InsufficientStorage", 507));

  private final Map<String, Integer> boxd = boxd();
  private final Map<String, Set<Integer>> documented = documented();

  BoxdCodesTest() throws IOException {}

  private static Map<String, Integer> boxd() throws IOException {
    String source = Files.readString(CHECKOUT.resolve("boxd/internal/problem/problem.go"));
    Map<String, String> names = new TreeMap<>();
    for (MatchResult code : CODE.matcher(source).results().toList()) {
      names.put(code.group(1), code.group(2));
    }
    Map<String, Integer> statuses = new TreeMap<>();
    for (MatchResult status : STATUS.matcher(source).results().toList()) {
      statuses.put(names.get(status.group(1)), STATUSES.get(status.group(2)));
    }
    assertThat(statuses.keySet()).as("every code has a status").hasSameSizeAs(names.keySet());
    return statuses;
  }

  private static Map<String, Set<Integer>> documented() throws IOException {
    Map<String, Set<Integer>> codes = new TreeMap<>();
    String page = Files.readString(CHECKOUT.resolve("docs/dataplane.md"));
    for (MatchResult row : ROW.matcher(page).results().toList()) {
      List<String> statuses = List.of(row.group(1).split(", "));
      List<String> names = List.of(row.group(2).split(", "));
      for (int i = 0; i < names.size(); i++) {
        codes
            .computeIfAbsent(names.get(i), _ -> new TreeSet<>())
            .add(Integer.parseInt(statuses.get(statuses.size() == 1 ? 0 : i)));
      }
    }
    return codes;
  }

  @Test
  void everyCodeOfBoxdIsOnThePageWithItsStatus() {
    assertThat(boxd).hasSizeGreaterThan(15);
    boxd.forEach(
        (code, status) -> assertThat(documented).as(code).containsEntry(code, Set.of(status)));
  }

  @Test
  void thePageNamesNoOther() {
    Set<String> known = new TreeSet<>(boxd.keySet());
    Arrays.stream(ErrorCode.values()).map(Enum::name).forEach(known::add);
    assertThat(known).containsAll(documented.keySet());
  }

  @Test
  void aCodeOfBothHasOneStatus() {
    for (ErrorCode code : ErrorCode.values()) {
      if (boxd.containsKey(code.name())) {
        assertThat(boxd).containsEntry(code.name(), code.status());
      }
    }
  }
}
