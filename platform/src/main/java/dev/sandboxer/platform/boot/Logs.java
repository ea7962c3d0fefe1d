package dev.sandboxer.platform.boot;

import org.jboss.logmanager.Level;
import org.jboss.logmanager.LogContext;
import org.jboss.logmanager.Logger;
import org.jboss.logmanager.handlers.ConsoleHandler;

/** Sends every log record to standard output, one JSON object a line. */
final class Logs {

  private Logs() {}

  static void toStandardOutput() {
    ConsoleHandler handler =
        new ConsoleHandler(ConsoleHandler.Target.SYSTEM_OUT, new JsonFormatter());
    LogContext logs = LogContext.getLogContext();
    Logger root = logs.getLogger("");
    // Until the framework applies its own levels, the root passes everything.
    root.setLevel(Level.INFO);
    root.addHandler(handler);
    // It starts before that, and says so in several lines.
    logs.getLogger("org.hibernate").setLevel(Level.WARN);
  }
}
