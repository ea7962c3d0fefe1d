package dev.sandboxer.cli;

import dev.sandboxer.cli.terminal.ColourChoice;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the option {@code --color}, in any case. */
final class WhenColour implements ITypeConverter<ColourChoice> {
  @Override
  public ColourChoice convert(String text) {
    for (ColourChoice choice : ColourChoice.values()) {
      if (choice.toString().equals(text.toLowerCase(Locale.ROOT))) {
        return choice;
      }
    }
    throw new TypeConversionException("'" + text + "' is none of auto, always, never");
  }
}
