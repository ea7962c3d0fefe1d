package dev.sandboxer.platform.trace;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A page in Prometheus' text format, and what of it is against the rules of Prometheus' documents:
 * the exposition format, metric and label naming, and writing client libraries.
 */
final class MetricsPage {

  private static final Pattern HELP = Pattern.compile("# HELP (\\S+) (.*)");
  private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");
  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{(.*)\\})? (\\S+)");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\n]|\\\\[\\\\\"n])*)\",?");
  private static final Set<String> TYPES = Set.of("counter", "gauge", "histogram", "summary");

  /** Whole words of a name that are no base unit, or shorten one. */
  private static final String UNITS =
      "s|sec|ms|us|ns|m|min|h|d|b|kb|mb|gb|tb|pb|millis|micros|nanos|milliseconds|microseconds"
          + "|nanoseconds|minutes|hours|days|weeks|bits|kilobytes|megabytes|gigabytes|kibibytes"
          + "|mebibytes|percent|percentage|millimeters|milligrams|fahrenheit";

  private final SequencedMap<String, Family> families = new LinkedHashMap<>();
  private final Set<String> series = new HashSet<>();
  private final List<String> problems = new ArrayList<>();

  private MetricsPage(String text) {
    text.lines().filter(line -> !line.isEmpty()).forEach(this::read);
    families.values().forEach(this::judge);
  }

  static MetricsPage of(String text) {
    return new MetricsPage(text);
  }

  private static final class Family {
    private final String name;
    private String type = "";
    private String help = "";
    private final Set<String> samples = new LinkedHashSet<>();
    private final Set<String> labels = new LinkedHashSet<>();

    private Family(String name) {
      this.name = name;
    }
  }

  /** A sentence each. */
  List<String> problems() {
    return problems;
  }

  /** Names of families that begin so. */
  Set<String> families(String prefix) {
    return families.keySet().stream()
        .filter(name -> name.startsWith(prefix))
        .collect(Collectors.toSet());
  }

  /** Names of the labels of families that begin so. */
  Set<String> labels(String prefix) {
    return families.values().stream()
        .filter(family -> family.name.startsWith(prefix))
        .flatMap(family -> family.labels.stream())
        .collect(Collectors.toSet());
  }

  String type(String name) {
    Family family = families.get(name);
    return family == null ? "" : family.type;
  }

  private void read(String line) {
    Matcher help = HELP.matcher(line);
    Matcher type = TYPE.matcher(line);
    Matcher sample = SAMPLE.matcher(line);
    if (help.matches()) {
      begun(help.group(1)).help = help.group(2).strip();
    } else if (type.matches()) {
      typed(families.getOrDefault(type.group(1), new Family("")), type.group(1), type.group(2));
    } else if (sample.matches()) {
      sampled(sample);
    } else if (!line.startsWith("#")) {
      problems.add("not in the format: " + line);
    }
  }

  private Family begun(String name) {
    Family family = new Family(name);
    if (families.putIfAbsent(name, family) != null) {
      problems.add(name + " is there twice");
    }
    return family;
  }

  private void typed(Family family, String name, String type) {
    if (!family.type.isEmpty()) {
      problems.add(name + " has two types");
    }
    if (family.name.isEmpty()) {
      begun(name).type = type;
    } else if (!family.equals(last()) || !family.samples.isEmpty()) {
      problems.add(name + " is not told in one piece");
    } else {
      family.type = type;
    }
  }

  private Family last() {
    return families.isEmpty() ? new Family("") : families.lastEntry().getValue();
  }

  private void sampled(Matcher sample) {
    String name = sample.group(1);
    Family family = last();
    if (!belongs(name, family)) {
      problems.add(name + " stands below " + family.name + ", without help and type of its own");
      return;
    }
    family.samples.add(name);
    Set<String> labels = new HashSet<>();
    String all = sample.group(3) == null ? "" : sample.group(3);
    for (MatchResult label : LABEL.matcher(all).results().toList()) {
      if (!labels.add(label.group(1))) {
        problems.add(name + " has the label " + label.group(1) + " twice");
      }
    }
    if (!LABEL.matcher(all).replaceAll("").isEmpty()) {
      problems.add("labels not in the format: " + sample.group());
    }
    family.labels.addAll(labels);
    if (!series.add(name + "{" + all + "}")) {
      problems.add("the series " + name + "{" + all + "} is there twice");
    }
    if (!sample.group(4).matches("NaN|[+-]Inf|-?[0-9.]+([eE][+-]?[0-9]+)?")) {
      problems.add(name + " has no number: " + sample.group(4));
    }
  }

  private static boolean belongs(String sample, Family family) {
    return switch (family.type) {
      case "summary" -> sample.matches(Pattern.quote(family.name) + "(_sum|_count)?");
      case "histogram" -> sample.matches(Pattern.quote(family.name) + "_(bucket|sum|count)");
      default -> sample.equals(family.name);
    };
  }

  private void judge(Family family) {
    String name = family.name;
    wrongIf(!TYPES.contains(family.type), name, "has the type '" + family.type + "'");
    wrongIf(family.help.isEmpty(), name, "has no help");
    wrongIf(!name.matches("[a-z][a-z0-9]*(_[a-z0-9]+)*"), name, "is not in snake case");
    wrongIf(name.matches(".*_(" + UNITS + ")(_.*)?"), name, "has no base unit, spelled out");
    wrongIf(
        name.matches(".*_(gauge|counter|summary|histogram)(_.*)?"), name, "has a type in its name");
    boolean counter = family.type.equals("counter");
    wrongIf(counter && !name.endsWith("_total"), name, "is a counter and does not end in _total");
    wrongIf(!counter && name.endsWith("_total"), name, "ends in _total and is no counter");
    wrongIf(name.matches(".*_(count|sum|bucket)"), name, "has an ending of parts of summaries");
    for (String label : family.labels) {
      wrongIf(!label.matches("[a-z][a-z0-9_]*"), name, "has the label " + label);
      boolean part = label.equals("le") || label.equals("quantile");
      boolean whole = family.type.equals("histogram") || family.type.equals("summary");
      wrongIf(part && !whole, name, "has the label " + label + " of histograms and summaries");
    }
  }

  private void wrongIf(boolean wrong, String name, String what) {
    if (wrong) {
      problems.add(name + " " + what);
    }
  }
}
