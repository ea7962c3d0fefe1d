package dev.sandboxer.cli.script;

/** Says at which Docker Engine it was told to look. */
public final class EngineCommandLine {
  private EngineCommandLine() {}

  public static void main(String[] arguments) {
    System.out.println("ok    backend docker: at " + System.getenv("SANDBOXER_DOCKER_HOST"));
  }
}
