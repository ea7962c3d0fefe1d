package dev.sandboxer.ext.compose.project;

import dev.sandboxer.spi.ExtensionException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Dockerfile that is read and written again, one instruction a line, so that what was checked is
 * what the builder reads. Names of images are written in full, and stages that the target does not
 * need are left out.
 */
final class Dockerfile {

  /** Instructions that change only the image. */
  private static final Set<String> HARMLESS =
      Set.of(
          "CMD",
          "ENTRYPOINT",
          "ENV",
          "EXPOSE",
          "HEALTHCHECK",
          "MAINTAINER",
          "SHELL",
          "STOPSIGNAL",
          "USER",
          "VOLUME",
          "WORKDIR");

  private static final Pattern ESCAPE = Pattern.compile("(?i)#\\s*escape\\s*=\\s*[^\\\\\\s].*");
  private static final Pattern INSTRUCTION = Pattern.compile("(?s)\\s*([A-Za-z]+)(?:[ \\t]+(.*))?");
  private static final Pattern ARG =
      Pattern.compile("([A-Za-z_]\\w*)(?:=([\"']?)([^\\s\"'\\\\]*)\\2)?");
  private static final Pattern FROM =
      Pattern.compile(
          "(?i)(?:--platform=\\$\\{?(?:BUILD|TARGET)PLATFORM}?\\s+)?([^\\s-]\\S*)(?:\\s+AS\\s+([a-z][a-z0-9_.-]*))?");
  private static final Pattern VARIABLE =
      Pattern.compile("\\$(?:([A-Za-z_]\\w*)|\\{([A-Za-z_]\\w*)(?::-([^${}]*))?})");
  private static final Pattern FLAG = Pattern.compile("--([a-z]+)=([!-~&&[^\"'\\\\]]+)\\s+");

  /** Builders take more characters for spaces than this reader does. */
  private static final Pattern PLAIN_BEGIN = Pattern.compile("(?s)([!-~].*)?");

  /** The builder fetches addresses by itself, and what is filled in may be one. */
  private static final Pattern ADDRESS = Pattern.compile("(?s).*[$\\\\:].*");

  private record Stage(
      int number,
      String name,
      String from,
      List<String> lines,
      Set<Integer> needs,
      Set<String> images) {

    /** No image has such a name once it is written in full. */
    String written() {
      return "s" + number;
    }
  }

  private final String file;
  private final Images images;
  private final Map<String, String> args;
  private final Map<String, String> values = new HashMap<>();
  private final List<String> before = new ArrayList<>();
  private final List<Stage> stages = new ArrayList<>();
  private int line;

  /**
   * One that has read nothing yet.
   *
   * @param file what it is called in messages
   * @param images that may be used
   * @param args of the build
   */
  Dockerfile(String file, Images images, Map<String, String> args) {
    this.file = file;
    this.images = images;
    this.args = args;
  }

  void read(String text) throws ExtensionException {
    StringBuilder open = new StringBuilder();
    int number = 0;
    for (String each : text.replaceFirst("^\uFEFF", "").split("\n", -1)) {
      number++;
      line = open.isEmpty() ? number : line;
      String part = each.stripTrailing();
      if (part.isBlank() || part.stripLeading().startsWith("#")) {
        if (stages.isEmpty() && ESCAPE.matcher(part.stripLeading()).matches()) {
          throw refused("escape", "lines go on after \\ only");
        }
        continue;
      }
      if (part.endsWith("\\\\")) {
        throw refused("\\\\", "builders differ about two of them at the end of a line");
      }
      boolean more = part.endsWith("\\");
      open.append(more ? part.substring(0, part.length() - 1) : part);
      if (!more) {
        instruction(open.toString());
        open.setLength(0);
      }
    }
    if (!open.isEmpty()) {
      instruction(open.toString());
    }
  }

  private void instruction(String text) throws ExtensionException {
    Matcher parts = INSTRUCTION.matcher(text);
    if (!parts.matches()) {
      throw refused("line", "this is no instruction");
    }
    String key = parts.group(1).toUpperCase(Locale.ROOT);
    String rest = Optional.ofNullable(parts.group(2)).orElse("").strip();
    if (rest.endsWith("\\")) {
      throw refused(key, "it ends with \\");
    }
    // The lines that follow would be its text.
    if (rest.contains("<<")) {
      throw refused(key, "<< is not supported here: put the text into a file");
    }
    if (key.equals("ARG") && stages.isEmpty()) {
      argument(rest);
      before.add("ARG " + rest);
    } else if (key.equals("FROM")) {
      from(rest);
    } else if (stages.isEmpty()) {
      throw refused(key, "it comes before the first FROM");
    } else {
      inStage(key, rest);
    }
  }

  private void inStage(String key, String rest) throws ExtensionException {
    List<String> lines = stages.getLast().lines();
    switch (key) {
      // It could replace the labels that name the image's owner.
      case "LABEL" -> {}
      case "RUN" -> lines.add("RUN " + plain(key, rest));
      case "COPY" -> lines.add("COPY " + copied(rest));
      case "ADD" -> lines.add("ADD " + added(rest));
      default -> {
        if (!key.equals("ARG") && !HARMLESS.contains(key)) {
          throw refused(key, "it is not supported here");
        }
        lines.add(key + " " + rest);
      }
    }
  }

  private void argument(String rest) {
    Matcher said = ARG.matcher(rest);
    if (said.matches()) {
      Optional<String> value =
          Optional.ofNullable(args.get(said.group(1)))
              .or(() -> Optional.ofNullable(said.group(3)).flatMap(this::filled));
      value.ifPresent(text -> values.put(said.group(1), text));
    }
  }

  private void from(String rest) throws ExtensionException {
    Matcher said = FROM.matcher(rest);
    if (!said.matches()) {
      throw refused("FROM", "'%s' is not 'IMAGE' or 'IMAGE AS STAGE'".formatted(rest));
    }
    String image =
        filled(said.group(1))
            .orElseThrow(
                () ->
                    refused(
                        "FROM",
                        "'%s' cannot be resolved: give each ARG before the first FROM a plain value"
                            .formatted(said.group(1))));
    Set<Integer> needs = new TreeSet<>();
    Set<String> used = new TreeSet<>();
    String from = image;
    Optional<Stage> stage = named(image);
    if (stage.isPresent()) {
      needs.add(stage.get().number());
      from = stage.get().written();
    } else if (!image.equals("scratch")) {
      from = full("FROM", image);
      used.add(from);
    }
    String name = Optional.ofNullable(said.group(2)).orElse("");
    stages.add(new Stage(stages.size(), name, from, new ArrayList<>(), needs, used));
  }

  /** Empty where a variable has no value. */
  private Optional<String> filled(String text) {
    StringBuilder filled = new StringBuilder();
    Matcher variable = VARIABLE.matcher(text);
    while (variable.find()) {
      String name = variable.group(variable.group(1) == null ? 2 : 1);
      Optional<String> value =
          Optional.ofNullable(values.get(name))
              .filter(one -> !one.isEmpty())
              .or(() -> Optional.ofNullable(variable.group(3)));
      if (value.isEmpty()) {
        return Optional.empty();
      }
      variable.appendReplacement(filled, Matcher.quoteReplacement(value.get()));
    }
    variable.appendTail(filled);
    return Optional.of(filled.toString()).filter(all -> !all.contains("$"));
  }

  private String copied(String rest) throws ExtensionException {
    StringBuilder flags = new StringBuilder();
    String left = rest;
    for (Matcher flag = FLAG.matcher(left); flag.lookingAt(); flag = FLAG.matcher(left)) {
      switch (flag.group(1)) {
        case "chown" -> flags.append(flag.group().strip());
        case "from" -> flags.append("--from=").append(source(flag.group(2)));
        default -> throw refused("COPY", "--" + flag.group(1) + " is not supported here");
      }
      flags.append(' ');
      left = left.substring(flag.end());
    }
    return flags + plain("COPY", left);
  }

  private String source(String from) throws ExtensionException {
    Stage current = stages.getLast();
    Optional<Stage> stage =
        named(from)
            .or(
                () ->
                    stages.stream()
                        .filter(one -> from.equals(Integer.toString(one.number())))
                        .findFirst())
            .filter(one -> one.number() < current.number());
    if (stage.isEmpty()) {
      String image = full("COPY --from", from);
      current.images().add(image);
      return image;
    }
    current.needs().add(stage.get().number());
    return stage.get().written();
  }

  private String added(String rest) throws ExtensionException {
    Matcher flag = FLAG.matcher(rest);
    boolean owned = flag.lookingAt() && flag.group(1).equals("chown");
    String left = plain("ADD", owned ? rest.substring(flag.end()) : rest);
    if (ADDRESS.matcher(left).matches()) {
      throw refused("ADD", "only plain names in the context, and no address");
    }
    return (owned ? flag.group().strip() + " " : "") + left;
  }

  /** Without further options. */
  private String plain(String key, String rest) throws ExtensionException {
    if (rest.startsWith("--") || !PLAIN_BEGIN.matcher(rest).matches()) {
      throw refused(key, rest.split("[\\s=]", 2)[0] + " is not supported here");
    }
    return rest;
  }

  /** The last stage of that name. */
  private Optional<Stage> named(String name) {
    return stages.reversed().stream()
        .filter(one -> !name.isEmpty() && one.name().equalsIgnoreCase(name))
        .findFirst();
  }

  private String full(String key, String image) throws ExtensionException {
    try {
      return images.allowed(image).full();
    } catch (ExtensionException e) {
      throw refused(key, String.valueOf(e.getMessage()));
    }
  }

  boolean has(String target) {
    return target.isEmpty() ? !stages.isEmpty() : named(target).isPresent();
  }

  /**
   * As the builder reads it.
   *
   * @param target a stage that is there, or nothing for the last one
   * @param labels of every layer, so that also what is cut off is known
   */
  String written(String target, Map<String, String> labels) {
    List<String> all = new ArrayList<>(before);
    // One instruction, so that each layer has all of them.
    StringBuilder label = new StringBuilder("LABEL");
    labels.forEach((name, value) -> label.append(" \"%s\"=\"%s\"".formatted(name, value)));
    for (Stage stage : needed(target)) {
      all.add("FROM " + stage.from() + " AS " + stage.written());
      all.add(label.toString());
      all.addAll(stage.lines());
    }
    return String.join("\n", all) + "\n";
  }

  /** Names of images that are needed. */
  Set<String> bases(String target) {
    Set<String> all = new TreeSet<>();
    needed(target).forEach(stage -> all.addAll(stage.images()));
    return all;
  }

  private List<Stage> needed(String target) {
    Set<Integer> needed = new TreeSet<>();
    need(named(target).orElse(stages.getLast()), needed);
    return needed.stream().map(stages::get).toList();
  }

  private void need(Stage stage, Set<Integer> needed) {
    if (needed.add(stage.number())) {
      stage.needs().forEach(number -> need(stages.get(number), needed));
    }
  }

  private ExtensionException refused(String key, String why) {
    return ProjectOptions.wrong("%s:%d: %s: %s".formatted(file, line, key, why));
  }
}
