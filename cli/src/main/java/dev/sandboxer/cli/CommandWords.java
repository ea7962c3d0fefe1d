package dev.sandboxer.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Reads the words of a command that runs inside: from its first word on everything is the
 * command's, so that {@code exec SANDBOX ls -l} needs no {@code --}.
 */
public final class CommandWords implements IParameterPreprocessor {

  @Override
  @SuppressWarnings("JdkObsolete") // the signature of picocli
  public boolean preprocess(
      Stack<String> arguments, CommandSpec command, ArgSpec parameter, Map<String, Object> info) {
    List<String> words = new ArrayList<>();
    while (!arguments.isEmpty()) {
      words.add(arguments.pop());
    }
    parameter.setValue(words);
    return true;
  }
}
