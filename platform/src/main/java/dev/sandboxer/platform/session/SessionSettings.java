package dev.sandboxer.platform.session;

import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.installation.StartupException;
import dev.sandboxer.platform.token.Capability;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What the operator has set about sessions, checked at the start. */
@Singleton
class SessionSettings {

  private static final String DEFAULT_PROFILE = "local";
  private static final int LEASE_SECONDS = 120;
  private static final int GRACE_SECONDS = 120;
  private static final int MAX_SECONDS = 24 * 3600;

  private final LeaseRules rules;
  private final Strategy strategy;
  private final Map<ScopeType, String> profiles;
  private final Map<Actor.Type, Set<Capability>> actors;

  SessionSettings(Settings settings) {
    this.rules = rules(settings);
    this.strategy =
        settings
            .text(Setting.SANDBOXER_SCOPE_STRATEGY)
            .map(SessionSettings::strategy)
            .orElse(Strategy.THREAD);
    this.profiles = profiles(settings);
    this.actors = actors(settings);
  }

  LeaseRules rules() {
    return rules;
  }

  Strategy strategy() {
    return strategy;
  }

  String profile(ScopeType type) {
    return profiles.getOrDefault(type, DEFAULT_PROFILE);
  }

  Map<Actor.Type, Set<Capability>> actorCapabilities() {
    return actors;
  }

  private static LeaseRules rules(Settings settings) {
    return new LeaseRules(
        settings.seconds(Setting.SANDBOXER_LEASE_SECONDS, LEASE_SECONDS, MAX_SECONDS),
        settings.seconds(Setting.SANDBOXER_LEASE_GRACE_SECONDS, GRACE_SECONDS, MAX_SECONDS),
        settings.tokenLife());
  }

  private static Strategy strategy(String text) {
    for (Strategy strategy : Strategy.values()) {
      if (strategy.scope().text().equals(text)) {
        return strategy;
      }
    }
    throw wrong(Setting.SANDBOXER_SCOPE_STRATEGY, text, "thread, assistant, user or run");
  }

  private static Map<ScopeType, String> profiles(Settings settings) {
    Map<ScopeType, String> profiles = new EnumMap<>(ScopeType.class);
    Setting setting = Setting.SANDBOXER_SCOPE_PROFILES;
    for (String entry : settings.list(setting)) {
      String[] sides = sides(setting, entry);
      ScopeType type =
          ScopeType.of(sides[0])
              .orElseThrow(() -> wrong(setting, entry, "a scope type before the ="));
      profiles.put(type, sides[1]);
    }
    return profiles;
  }

  private static Map<Actor.Type, Set<Capability>> actors(Settings settings) {
    Map<Actor.Type, Set<Capability>> actors = new EnumMap<>(Actor.Type.class);
    Setting setting = Setting.SANDBOXER_ACTOR_CAPABILITIES;
    for (String entry : settings.list(setting)) {
      String[] sides = sides(setting, entry);
      actors.put(actor(setting, entry, sides[0]), capabilities(setting, entry, sides[1]));
    }
    return actors;
  }

  private static Actor.Type actor(Setting setting, String entry, String text) {
    return switch (text) {
      case "human" -> Actor.Type.HUMAN;
      case "agent" -> Actor.Type.AGENT;
      default -> throw wrong(setting, entry, "human or agent before the =");
    };
  }

  private static Set<Capability> capabilities(Setting setting, String entry, String text) {
    Set<Capability> all = EnumSet.noneOf(Capability.class);
    for (String name : text.split("\\+", -1)) {
      all.add(
          Capability.of(name.toLowerCase(Locale.ROOT))
              .filter(Capability.grantable()::contains)
              .orElseThrow(() -> wrong(setting, entry, "capabilities joined by + behind the =")));
    }
    return all;
  }

  private static String[] sides(Setting setting, String entry) {
    String[] sides = entry.split("=", 2);
    if (sides.length != 2 || sides[1].isEmpty()) {
      throw wrong(setting, entry, "entries such as name=value");
    }
    return sides;
  }

  private static StartupException wrong(Setting setting, String text, String wanted) {
    return new StartupException("%s has '%s'; it must be %s".formatted(setting, text, wanted));
  }

  /** Lends the rules. */
  @ApplicationScoped
  static class Beans {

    @Produces
    @Singleton
    LeaseRules rules(SessionSettings settings) {
      return settings.rules();
    }
  }
}
