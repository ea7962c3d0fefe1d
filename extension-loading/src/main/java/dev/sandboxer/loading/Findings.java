package dev.sandboxer.loading;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What was looked at so far, in order. */
final class Findings {

  private static final int SHOWN = 3;

  private final List<Finding> all = new ArrayList<>();

  List<Finding> all() {
    return List.copyOf(all);
  }

  void good(String name, String detail) {
    all.add(Finding.good(name, detail));
  }

  void bad(String name, String detail) {
    all.add(Finding.bad(name, detail));
  }

  void bad(String name, Throwable thrown) {
    bad(name, thrown instanceof RefusedException ? message(thrown) : withCauses(thrown));
  }

  private static String message(Throwable thrown) {
    return String.valueOf(thrown.getMessage());
  }

  private static String withCauses(Throwable thrown) {
    @Nullable Throwable cause = thrown.getCause();
    return cause == null ? thrown.toString() : thrown + ", caused by " + withCauses(cause);
  }

  /** A few of many names. */
  static String some(List<String> names) {
    String shown = names.stream().limit(SHOWN).collect(Collectors.joining(", "));
    return names.size() > SHOWN ? shown + " and " + (names.size() - SHOWN) + " more" : shown;
  }
}
