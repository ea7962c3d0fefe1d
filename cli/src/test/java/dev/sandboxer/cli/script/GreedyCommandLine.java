package dev.sandboxer.cli.script;

import java.util.ArrayList;
import java.util.List;

/** Holds more and more, as a command line does that is told something without end. */
public final class GreedyCommandLine {
  private static final int PIECE = 16 << 20;

  private GreedyCommandLine() {}

  public static void main(String[] arguments) {
    List<byte[]> held = new ArrayList<>();
    while (true) {
      held.add(new byte[PIECE]);
      System.out.println("holds " + held.size());
    }
  }
}
