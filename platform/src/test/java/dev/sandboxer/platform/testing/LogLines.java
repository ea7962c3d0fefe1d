package dev.sandboxer.platform.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import org.jboss.logmanager.ExtHandler;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.formatters.PatternFormatter;

/** What the platform within the tests' process logs while this is open. */
public final class LogLines extends ExtHandler {

  private final List<String> lines = new CopyOnWriteArrayList<>();

  private LogLines() {
    setFormatter(new PatternFormatter("%c %s"));
  }

  /**
   * Begins to listen.
   *
   * @return without a line
   */
  public static LogLines follow() {
    LogLines lines = new LogLines();
    Logger.getLogger("").addHandler(lines);
    return lines;
  }

  @Override
  protected void doPublish(ExtLogRecord event) {
    lines.add(getFormatter().format(event) + " " + event.getMdcCopy());
  }

  /**
   * Those that have a word.
   *
   * @param word of the logger's name, the message or the fields
   * @return logger, message and fields, a line each
   */
  public List<String> with(String word) {
    return lines.stream().filter(line -> line.contains(word)).toList();
  }

  @Override
  public void close() {
    Logger.getLogger("").removeHandler(this);
    super.close();
  }
}
