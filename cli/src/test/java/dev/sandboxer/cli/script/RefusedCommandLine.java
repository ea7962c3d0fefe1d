package dev.sandboxer.cli.script;

/** Fails as with a key that was deleted. */
public final class RefusedCommandLine {
  private RefusedCommandLine() {}

  public static void main(String[] arguments) {
    System.err.println("sandboxer: no such key");
    System.exit(1);
  }
}
