package dev.sandboxer.platform.egress;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sandboxer.platform.egress.EgressSecret.Kind;
import dev.sandboxer.platform.egress.EgressSecret.UnavailableException;
import dev.sandboxer.platform.secret.SecretRef.Use;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Adds the secrets of a host to the headers of requests.
 *
 * @param secrets all of the host
 */
record SecretHeaders(List<EgressSecret> secrets) {

  private static final String BASIC = "basic ";

  SecretHeaders {
    secrets = List.copyOf(secrets);
  }

  /** Those that a request with these headers gets. */
  List<EgressSecret> needed(HttpHeaders headers) {
    return secrets.stream().filter(secret -> needed(secret.kind(), headers)).toList();
  }

  private static boolean needed(Kind kind, HttpHeaders headers) {
    return switch (kind) {
      case Kind.Header _ -> true;
      case Kind.Placeholder(String text) ->
          headers.entries().stream()
              .filter(header -> open(header.getKey()))
              .anyMatch(
                  header ->
                      header.getValue().contains(text) || basic(header.getValue()).contains(text));
    };
  }

  private static boolean open(String name) {
    return !Use.Header.OF_REQUESTS.contains(name.toLowerCase(Locale.ROOT));
  }

  /** What Basic credentials are in plain; empty for another value. */
  private static String basic(String value) {
    if (!value.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
      return "";
    }
    try {
      return new String(
          Base64.getDecoder().decode(value.substring(BASIC.length()).strip()), ISO_8859_1);
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  /** The values of some, as headers carry them: each char is a byte. */
  static CompletionStage<Map<EgressSecret, String>> values(List<EgressSecret> needed) {
    CompletableFuture<Map<EgressSecret, String>> all =
        CompletableFuture.completedFuture(new LinkedHashMap<>());
    for (EgressSecret secret : needed) {
      all =
          all.thenCombine(
              value(secret),
              (found, value) -> {
                found.put(secret, value);
                return found;
              });
    }
    return all;
  }

  private static CompletionStage<String> value(EgressSecret secret) {
    try {
      return secret.source().value().thenCompose(SecretHeaders::checked);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static CompletionStage<String> checked(String value) {
    boolean fine = value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c != 0x7f));
    return fine
        ? CompletableFuture.completedFuture(new String(value.getBytes(UTF_8), ISO_8859_1))
        : CompletableFuture.failedFuture(
            new UnavailableException(
                "a secret of this host has a line break or another control character in it"));
  }

  /** Puts values in. What a value itself holds is not taken for a placeholder. */
  static void put(HttpHeaders headers, Map<EgressSecret, String> values) {
    Map<String, String> texts = new LinkedHashMap<>();
    values.forEach(
        (secret, value) -> {
          if (secret.kind() instanceof Kind.Placeholder(String text)) {
            texts.put(text, value);
          }
        });
    if (!texts.isEmpty()) {
      replace(headers, texts);
    }
    values.forEach(
        (secret, value) -> {
          if (secret.kind() instanceof Kind.Header(String name, String before, String after)) {
            headers.set(name, before + value + after);
          }
        });
  }

  private static void replace(HttpHeaders headers, Map<String, String> texts) {
    Pattern any =
        Pattern.compile(
            texts.keySet().stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .map(Pattern::quote)
                .collect(Collectors.joining("|")));
    UnaryOperator<String> filled =
        text ->
            any.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(texts.get(found.group())));
    for (String name : Set.copyOf(headers.names())) {
      if (open(name)) {
        List<String> now = new ArrayList<>();
        headers.getAll(name).forEach(value -> now.add(replaced(value, filled)));
        headers.set(name, now);
      }
    }
  }

  private static String replaced(String value, UnaryOperator<String> filled) {
    String plain = basic(value);
    String full = filled.apply(plain);
    if (full.equals(plain)) {
      return filled.apply(value);
    }
    return value.substring(0, BASIC.length())
        + Base64.getEncoder().encodeToString(full.getBytes(ISO_8859_1));
  }
}
