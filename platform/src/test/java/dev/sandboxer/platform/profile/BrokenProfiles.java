package dev.sandboxer.platform.profile;

import java.util.List;
import java.util.stream.Stream;

/** One text for each kind of mistake, with the place and a part of the message. */
final class BrokenProfiles {

  static final String HEAD = "id: profile.x\nversion: 1\nextension: ext.x\n";

  private static final String DIGEST = "sha256:" + "a".repeat(64);
  private static final String MOUNT = "mounts: [{host_path: /srv/a, mount_path: /a}, {%s}]\n";

  private BrokenProfiles() {}

  /**
   * A mistake.
   *
   * @param text of the file
   * @param line where it is
   * @param field which it is
   * @param message a part of what is said
   * @param seenBySchema whether an editor can see it too
   */
  record Broken(String text, int line, String field, String message, boolean seenBySchema) {

    private Broken at(int other) {
      return new Broken(text, other, field, message, seenBySchema);
    }
  }

  /** Added to a right profile, on its fourth line. */
  private static Broken added(String text, String field, String message) {
    return new Broken(HEAD + text + "\n", 4, field, message, true);
  }

  private static Broken routed(String routing, String field, String message) {
    String head = "id: profile.x\nversion: 1\nrouting: ";
    return new Broken(head + routing + "\n", 3, field, message, true);
  }

  /** Of a kind that only the platform can see. */
  private static Broken deep(String text, String field, String message) {
    return new Broken(HEAD + text + "\n", 4, field, message, false);
  }

  static List<Broken> all() {
    return Stream.of(plain(), callerMounts(), secrets(), setup(), inputs())
        .flatMap(broken -> broken)
        .toList();
  }

  private static Stream<Broken> setup() {
    String inputs = "inputs: {packages: {type: string, default: x}}\n";
    return Stream.of(
        added("setup: pip install x", "setup", "must be a list"),
        added("setup: [pip install x]", "setup[0]", "must be"),
        added("setup: [{command: x}]", "setup[0].command", "unknown key"),
        added("setup: [{timeout: 1m}]", "setup[0]", "missing"),
        added("setup: [{run: ' '}]", "setup[0].run", "a command for /bin/sh"),
        added("setup: [{run: x, timeout: 10}]", "setup[0].timeout", "duration"),
        deep("setup: [{run: x, timeout: 2h}]", "setup[0].timeout", "longer than an hour"),
        added("setup: [" + "{run: x},".repeat(17) + "]", "setup", "at most 16 steps"),
        added("resources: {setup: 1}", "resources.setup", "must be a size"),
        deep(
                inputs + "setup: [{run: 'pip install ${inputs.packages}'}]",
                "setup[0].run",
                "put it into 'env'")
            .at(5));
  }

  private static Broken allowed(String rule, String field, String message) {
    return added("network: {mode: allow, allow: [%s]}".formatted(rule), field, message);
  }

  private static Broken secret(String ref, String field, String message) {
    return added(
        "secret_refs: [%s]".formatted(ref),
        ("secret_refs[0]." + field).replaceAll("\\.$", ""),
        message);
  }

  private static Stream<Broken> secrets() {
    String envOnly = "{name: A, ref: 'env:A', use: env, %s}";
    String egress = "{name: A, ref: 'env:A', use: egress, %s}";
    return Stream.of(
        secret("{ref: 'env:A', use: env}", "", "'name' is missing"),
        secret("{name: A, use: env}", "", "'ref' is missing"),
        secret("{name: A, ref: 'env:A'}", "", "'use' is missing"),
        secret("{name: A-B, ref: 'env:A', use: env}", "name", "letters, digits and '_'"),
        secret("{name: A, ref: hunter2, use: env}", "ref", "must name a secret, never be one"),
        secret("{name: A, ref: 'env:A/B', use: env}", "ref", "must be env:NAME"),
        secret("{name: A, ref: 'file:../x', use: file}", "ref", "must name a secret"),
        secret("{name: A, ref: 'kv:a/../b', use: env}", "ref", "must name a secret"),
        secret("{name: A, ref: 'env:A', use: envv}", "use", "did you mean 'env'?"),
        deep(
            "secret_refs: [{name: A, ref: 'env:A', use: provision, registry: a.example, username: a}]",
            "secret_refs[0].use",
            "name the 'image'"),
        login("registry: a.example", "", "'username' is missing"),
        login("username: a", "", "'registry' is missing"),
        login("registry: 'https://a.example', username: a", "registry", "host and port of a"),
        login("registry: a.example/team, username: a", "registry", "host and port of a"),
        login("registry: team, username: a", "registry", "docker.io for Docker Hub"),
        login("registry: A.example, username: a", "registry", "host and port of a"),
        login("registry: a.example, username: 'a:b'", "username", "without space and ':'"),
        login(
            "registry: a.example, username: a, hosts: [b.example]", "hosts", "'use: egress' only"),
        secret(envOnly.formatted("registry: a.example"), "registry", "'use: provision' only"),
        deep(
                LOGIN.formatted("registry: a.example, username: a")
                    + "\n  - {name: B, ref: 'env:B', use: provision, registry: a.example, username: b}",
                "secret_refs[1].registry",
                "has a login already")
            .at(7),
        secret(envOnly.formatted("hosts: [a.example]"), "hosts", "'use: egress' only"),
        secret(envOnly.formatted("header: X"), "header", "'use: egress' only"),
        secret("{name: A, ref: 'env:A', use: egress}", "", "'hosts' is missing"),
        secret(egress.formatted("hosts: []"), "hosts", "1 to 16 hosts"),
        secret(egress.formatted("hosts: ['*.com']"), "hosts[0]", "top-level"),
        secret(egress.formatted("hosts: [10.0.0.0/8]"), "hosts[0]", "must be a name"),
        deep(
            "secret_refs: [{name: A, ref: 'env:A', use: egress, hosts: [a.example]}]",
            "secret_refs[0].hosts[0]",
            "name it in 'network.allow'"),
        reached("header: 'a b'", "header", "the name of a header"),
        deepReached("header: Host", "header", "how a request is sent"),
        deepReached("header: Proxy-Connection", "header", "how a request is sent"),
        reached("format: '{}'", "format", "goes with 'header' only"),
        reached("header: A, format: x", "format", "'{}' once"),
        reached("header: A, format: '{}{}'", "format", "'{}' once"),
        deep(
                "env: {A: b}\nsecret_refs: [{name: A, ref: 'env:A', use: env}]",
                "secret_refs[0].name",
                "there twice")
            .at(5));
  }

  private static final String REACHED =
      "network: {mode: public}\nsecret_refs: [{name: A, ref: 'env:A', use: egress, hosts: [a.example], %s}]";

  private static final String LOGIN =
      "image: a.example/b\nsecret_refs:\n  - {name: A, ref: 'env:A', use: provision, %s}";

  private static Broken login(String more, String field, String message) {
    return added(LOGIN.formatted(more), ("secret_refs[0]." + field).replaceAll("\\.$", ""), message)
        .at(6);
  }

  private static Broken reached(String more, String field, String message) {
    return added(REACHED.formatted(more), "secret_refs[0]." + field, message).at(5);
  }

  private static Broken deepReached(String more, String field, String message) {
    return deep(REACHED.formatted(more), "secret_refs[0]." + field, message).at(5);
  }

  private static Stream<Broken> plain() {
    return Stream.of(
        added("isolation: {runtime: -x}", "isolation.runtime", "runc or runsc"),
        added("image: --privileged", "image", "must be an image reference"),
        added("image: Example.org/x", "image", "must be an image reference"),
        added("image: 'x:'", "image", "must be an image reference"),
        added("image: x@sha256:12", "image", "must be an image reference"),
        added("network: {mode: nome}", "network.mode", "did you mean 'none'?"),
        added("network: {allow: []}", "network", "'mode' is missing"),
        added("network: {mode: public, allow: []}", "network.allow", "for mode allow only"),
        added(
            "network: {mode: public, transparent: true}",
            "network.transparent",
            "SOCKS5 at the address in ALL_PROXY"),
        added(
            "network: {mode: none, transparent: maybe}",
            "network.transparent",
            "must be true or false"),
        allowed("{}", "network.allow[0]", "'host' is missing"),
        allowed("{host: '*'}", "network.allow[0].host", "network.mode: public"),
        allowed("{host: '*.com'}", "network.allow[0].host", "top-level domain"),
        allowed("{host: 10.0.0.1}", "network.allow[0].host", "is an address"),
        allowed("{host: 10.0.0.0/33}", "network.allow[0].host", "no range of addresses"),
        allowed("{host: 10.0.0/8}", "network.allow[0].host", "host name"),
        allowed("{host: 0x0a.0.0.0/8}", "network.allow[0].host", "host name"),
        allowed("{host: '10.0.0.0/'}", "network.allow[0].host", "host name"),
        allowed("{host: '10.0.0.0/-1'}", "network.allow[0].host", "host name"),
        allowed("{host: 'fd00::/129'}", "network.allow[0].host", "no range of addresses"),
        allowed("{host: '[fd00::]/8'}", "network.allow[0].host", "host name"),
        allowed("{host: example.com/24}", "network.allow[0].host", "host name"),
        deep(
            "network: {mode: allow, allow: [{host: 10.1.2.7/24}]}",
            "network.allow[0].host",
            "write 10.1.2.0/24"),
        allowed("{host: 'https://example.com'}", "network.allow[0].host", "host name"),
        allowed("{host: example.com, ports: []}", "network.allow[0].ports", "1 to 16 ports"),
        allowed("{host: example.com, ports: [0]}", "network.allow[0].ports[0]", "65535"),
        allowed("{host: example.com, methods: []}", "network.allow[0].methods", "1 to 16 methods"),
        allowed("{host: example.com, methods: GET}", "network.allow[0].methods", "list"),
        allowed("{host: example.com, methods: [get]}", "network.allow[0].methods[0]", "capitals"),
        allowed("{host: example.com, methods: ['*']}", "network.allow[0].methods[0]", "capitals"),
        allowed(
            "{host: example.com, methods: [GET, CONNECT]}",
            "network.allow[0].methods[1]",
            "not CONNECT"),
        allowed(
            "{host: example.com, method: [GET]}",
            "network.allow[0].method",
            "did you mean 'methods'?"),
        added("routing: {candidates: [ext.x]}", "routing", "leave out one of the two"),
        routed("{candidates: [{host: a}]}", "routing.candidates[0]", "'extension' is missing"),
        routed("{candidates: [{extension: ext.a, host: A}]}", "routing.candidates[0].host", "name"),
        routed("{candidates: []}", "routing.candidates", "name 1 to 16"),
        routed("{candidates: [docker]}", "routing.candidates[0]", "must be ext.<name>"),
        routed("{candidates: [ext.a, ext.a]}", "routing.candidates[1]", "named twice"),
        routed("{strategy: Fast}", "routing.strategy", "must be a name"),
        routed("{require: {disk: ssd}}", "routing.require.disk", "unknown key"),
        routed("{require: {hosting: cloud}}", "routing.require.hosting", "must be one of"),
        routed("{prefer: [ssd]}", "routing.prefer", "must be a mapping"),
        added("caller_routing: maybe", "caller_routing", "must be true or false"),
        added("max_cost: {amount: -1, currency: EUR}", "max_cost", "must be a decimal number"),
        added("max_cost: {amount: 1, currency: EURO}", "max_cost", "currency"),
        added("max_cost: {amount: 1}", "max_cost", "'currency' is missing"),
        added("on_idle: stop", "on_idle", "must be one of [destroy, suspend]"),
        added("on_lost: restart", "on_lost", "must be one of [fail, recreate, wait]"),
        deep("lost_after: 5s", "lost_after", "must be 30s to 1d"),
        deep("lost_after: 2d", "lost_after", "must be 30s to 1d"),
        added("lost_after: 5", "lost_after", "duration with a unit"),
        added("idle: 0s", "idle", "duration with a unit"),
        deep("idle: 9h", "idle", "longer than hard_ttl (8h)"),
        deep("hard_ttl: 31d", "hard_ttl", "longer than 30d"),
        added("best_effort: [memry]", "best_effort[0]", "did you mean 'memory'?"),
        added("privileged: true", "privileged", "unknown key"),
        added("capabilities: [SYS_ADMIN]", "capabilities[0]", "must be one of [exec, fs_read"),
        added("capabilities: [admin]", "capabilities[0]", "must be one of"),
        added("capabilities: []", "capabilities", "at least one"),
        added("capabilities: exec", "capabilities", "must be a list"),
        added("devices: [/dev/kvm]", "devices", "unknown key"),
        added("mounts: {a: b}", "mounts", "must be a list"),
        added(MOUNT.formatted("mount_path: /b").strip(), "mounts[1]", "'volume' or 'tmpfs'"),
        added(MOUNT.formatted("host_path: /srv/b").strip(), "mounts[1]", "'mount_path' is missing"),
        added(
            MOUNT.formatted("volume: V_, mount_path: /b").strip(),
            "mounts[1].volume",
            "must be the name of a volume"),
        added(
            MOUNT.formatted("volume: v, host_path: /srv/b, mount_path: /b").strip(),
            "mounts[1]",
            "'volume' or 'tmpfs'"),
        added(
            MOUNT.formatted("volume: v, mount_path: /b, mode: w").strip(),
            "mounts[1].mode",
            "must be one of"),
        deep(
            MOUNT.formatted("volume: v, mount_path: /b}, {volume: v, mount_path: /c").strip(),
            "mounts[2].mount_path",
            "show one volume, 'v'"),
        added(
            MOUNT.formatted("host_path: srv, mount_path: /b").strip(),
            "mounts[1].host_path",
            "must be an absolute path"),
        deep(
            MOUNT.formatted("host_path: /srv/../etc, mount_path: /b").strip(),
            "mounts[1].host_path",
            "without '..'"),
        deep(
            MOUNT.formatted("host_path: /, mount_path: /b").strip(),
            "mounts[1].host_path",
            "the whole host"),
        deep(
            MOUNT.formatted("host_path: /srv, mount_path: /usr/x").strip(),
            "mounts[1].mount_path",
            "the sandbox's own"),
        deep(
            MOUNT.formatted("tmpfs: 1Mi, mount_path: /workspace").strip(),
            "mounts[1].mount_path",
            "of the size that resources.workspace sets"),
        added(
            MOUNT.formatted("host_path: /srv, mount_path: /b, content_digest: sha256:ab").strip(),
            "mounts[1].content_digest",
            "64 of 0-9a-f"),
        deep(
            MOUNT.formatted("volume: v, mount_path: /b, content_digest: " + DIGEST).strip(),
            "mounts[1].content_digest",
            "only a folder of the host"),
        deep(
            MOUNT
                .formatted("host_path: /srv, mount_path: /b, mode: rw, content_digest: " + DIGEST)
                .strip(),
            "mounts[1].content_digest",
            "read-only"),
        deep(
            "mounts: [{host_path: /srv/a, mount_path: /a, mode: rw},"
                + " {host_path: /srv/a, mount_path: /b, content_digest: "
                + DIGEST
                + "}]",
            "mounts[1].mount_path",
            "what has a content_digest cannot be, or hold, what is mounted for writing"),
        deep(
            MOUNT.formatted("host_path: /srv, mount_path: /a/b").strip(),
            "mounts[1].mount_path",
            "overlap"),
        added(
            MOUNT.formatted("host_path: /srv, mount_path: /b, mode: w").strip(),
            "mounts[1].mode",
            "did you mean 'rw'?"),
        added(
            MOUNT.formatted("host_path: /srv, mount_path: /b, modus: rw").strip(),
            "mounts[1].modus",
            "unknown key 'modus'"),
        added(
            MOUNT.formatted("host_path: /srv, mount_path: /tmp/b, delivery: coppy").strip(),
            "mounts[1].delivery",
            "did you mean 'copy'?"),
        deep(
            MOUNT.formatted("host_path: /srv, mount_path: /b, delivery: copy").strip(),
            "mounts[1].delivery",
            "must lie below /workspace or /tmp"),
        deep(
            MOUNT.formatted("volume: v, mount_path: /tmp/b, delivery: copy").strip(),
            "mounts[1].delivery",
            "goes with 'host_path' only"),
        deep(
            MOUNT
                .formatted("host_path: /srv, mount_path: /tmp/b, delivery: copy, sync_interval: 1m")
                .strip(),
            "mounts[1].sync_interval",
            "'mode: rw' only"),
        deep(
            MOUNT
                .formatted(
                    "host_path: /srv, mount_path: /tmp/b, delivery: copy, mode: rw, sync_interval: 1s")
                .strip(),
            "mounts[1].sync_interval",
            "from 10s to 24h"),
        deep(
            MOUNT.formatted("tmpfs: 1Mi, mount_path: /b, mode: ro").strip(),
            "mounts[1].mode",
            "always writable"),
        added(
            MOUNT.formatted("tmpfs: 1, mount_path: /b").strip(),
            "mounts[1].tmpfs",
            "size with a unit"),
        deep(
            MOUNT
                .formatted("host_path: /srv/%s, mount_path: /b".formatted("x".repeat(300)))
                .strip(),
            "mounts[1].host_path",
            "has 305 characters: a path may have 255"),
        deep(
            MOUNT.formatted("host_path: \"/srv/\\x85\", mount_path: /b").strip(),
            "mounts[1].host_path",
            "control characters"),
        deep(
            "mounts: [{host_path: /srv/a, mount_path: /a, mode: rw},"
                + " {host_path: /srv/a/b, mount_path: /b}]",
            "mounts[1].mount_path",
            "below a folder that is mounted for writing"),
        deep(
            "mounts: [{host_path: /srv/a/b, mount_path: /b},"
                + " {host_path: /srv/a, mount_path: /a, mode: rw}]",
            "mounts[1].mount_path",
            "below a folder that is mounted for writing"),
        deep(
            "mounts: [{host_path: /srv/a, mount_path: /a, mode: rw}]",
            "mounts[0]",
            "add 'unlimited: true'"),
        added(
            "mounts: [{host_path: /srv/a, mount_path: /a, mode: rw, unlimited: false}]",
            "mounts[0].unlimited",
            "has no quota"),
        deep(
            "mounts: [{host_path: /srv/a, mount_path: /a, unlimited: true}]",
            "mounts[0].unlimited",
            "'mode: rw' only"),
        deep(
            "mounts: [{volume: a, mount_path: /a, mode: rw, unlimited: true}]",
            "mounts[0].unlimited",
            "'host_path'"));
  }

  private static Stream<Broken> callerMounts() {
    return Stream.of(
        added("caller_mounts: true", "caller_mounts", "must be a mapping"),
        deep("caller_mounts: {}", "caller_mounts", "'modes' is missing"),
        added("caller_mounts: {modes: []}", "caller_mounts.modes", "name at least one"),
        added("caller_mounts: {modes: tmpfs}", "caller_mounts.modes", "must be a list"),
        added("caller_mounts: {modes: [tmpf]}", "caller_mounts.modes[0]", "did you mean 'tmpfs'?"),
        added(
            "caller_mounts: {modes: [tmpfs], maxx: 1}",
            "caller_mounts.maxx",
            "did you mean 'max'?"),
        added(
            "caller_mounts: {modes: [tmpfs], max: 17}",
            "caller_mounts.max",
            "whole number from 0 to 16"),
        deep("caller_mounts: {modes: [ro]}", "caller_mounts.modes", "need 'roots'"),
        deep(
            "caller_mounts: {modes: [rw, tmpfs], roots: []}",
            "caller_mounts.modes",
            "need 'roots'"),
        added("caller_mounts: {modes: [ro], roots: /srv}", "caller_mounts.roots", "must be a list"),
        added(
            "caller_mounts: {modes: [ro], roots: [srv]}",
            "caller_mounts.roots[0]",
            "must be an absolute path"),
        deep(
            "caller_mounts: {modes: [rw], roots: [/srv]}",
            "caller_mounts",
            "add 'unlimited: true'"),
        deep(
            "caller_mounts: {modes: [ro], roots: [/srv], unlimited: true}",
            "caller_mounts.unlimited",
            "the mode rw only"),
        deep(
            "caller_mounts: {modes: [ro], roots: [/srv, /]}",
            "caller_mounts.roots[1]",
            "the whole host"),
        deep(
            "caller_mounts: {modes: [ro], roots: [/srv/../etc]}",
            "caller_mounts.roots[0]",
            "without '..'"),
        deep(
            "caller_mounts: {modes: [ro], roots: ['/srv/${inputs.a}']}\n"
                + "inputs: {a: {type: enum, values: [b]}}",
            "caller_mounts.roots[0]",
            "an input cannot stand here"));
  }

  private static Stream<Broken> inputs() {
    return Stream.of(
        added("extends: base", "extends", "a profile and its version, such as base@1"),
        deep("extends: base@1", "extends", "there is no profile.base@1; no version"),
        deep("extends: x@1", "extends", "it extends itself: profile.x@1 -> profile.x@1"),
        added("inputs: {A: {type: string}}", "inputs.A", "lower case letters"),
        added("inputs: {a: {type: text}}", "inputs.a.type", "must be one of"),
        added("inputs: {a: {}}", "inputs.a", "'type' is missing"),
        added("inputs: {a: {type: string, regex: x}}", "inputs.a.regex", "unknown key 'regex'"),
        deep("inputs: {a: {type: enum}}", "inputs.a", "'values' is missing"),
        added("inputs: {a: {type: enum, values: []}}", "inputs.a.values", "1 to 64 values"),
        deep(
            "inputs: {a: {type: string, values: [b]}}",
            "inputs.a.values",
            "only an input of type enum"),
        deep("inputs: {a: {type: integer, default: b}}", "inputs.a.default", "whole number"),
        deep(
            "inputs: {a: {type: enum, values: [big], default: bog}}",
            "inputs.a.default",
            "did you mean 'big'?"),
        deep(
            "inputs: {a: {type: string, default: B, pattern: '[a-z]*'}}",
            "inputs.a.default",
            "must match"),
        deep(
            "inputs: {a: {type: string, pattern: '(?=x)'}}",
            "inputs.a.pattern",
            "is no pattern (RE2"),
        deep(
            "inputs: {a: {type: string, required: false}}", "inputs.a.required", "needs a default"),
        deep(
            "inputs: {a: {type: string, required: true, default: b}}",
            "inputs.a.required",
            "leave one out"),
        deep(
            "env: {A: '${inputs.b}'}\ninputs: {bb: {type: string}}", "env.A", "did you mean 'bb'?"),
        deep("env: {A: '${HOME}'}", "env.A", "write $${ for a plain ${"),
        deep("env: {A: '${inputs.b'}", "env.A", "is no reference"),
        deep(
            "image: '${inputs.a}'\ninputs: {a: {type: string}}",
            "image",
            "only an input of type enum can stand here"),
        deep(
            "image: 'x:${inputs.a}'\ninputs: {a: {type: string, default: b}}",
            "image",
            "type enum"),
        deep(
            "mounts: [{host_path: '/srv/${inputs.a}', mount_path: /a}]\ninputs: {a: {type: string}}",
            "mounts[0].host_path",
            "type enum"),
        deep(
            "network: {mode: '${inputs.a}'}\ninputs: {a: {type: string, default: none}}",
            "network.mode",
            "type enum"),
        deep(
            "best_effort: ['${inputs.a}']\ninputs: {a: {type: string}}",
            "best_effort[0]",
            "type enum"),
        deep(
            "description: '${inputs.a}'\ninputs: {a: {type: string}}",
            "description",
            "an input cannot stand here"),
        deep(
            "ttl: '${inputs.a}'\ninputs: {a: {type: string, default: soon}}",
            "ttl",
            "'soon' must be a duration"),
        deep(
            "resources: {memory: '${inputs.a}'}\ninputs: {a: {type: enum, values: [1Gi, big]}}",
            "resources.memory",
            "'big' must be a size"));
  }
}
