package dev.sandboxer.cli.sandbox;

import dev.sandboxer.cli.Failure;

/** A sandbox's id as a person writes it; it becomes part of a path, so it is checked here. */
public final class SandboxId {
  private SandboxId() {}

  /** The id itself; `sb_` may be left out. */
  public static String of(String text) {
    String id = text.startsWith("sb_") ? text : "sb_" + text;
    if (!id.matches("sb_[a-z0-9]{1,64}")) {
      throw Failure.usage(
          "\"" + text + "\" is no sandbox's id: they look like sb_k3q...; see sandboxer ls");
    }
    return id;
  }
}
