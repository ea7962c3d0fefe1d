package dev.sandboxer.sink.file;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.sink.EventMessage;
import dev.sandboxer.spi.sink.EventSink;
import dev.sandboxer.spi.sink.SinkException;
import java.io.IOException;

/**
 * Appends each event as a line. Whatever the disk does, the event comes again until it is there.
 */
final class FileSink implements EventSink {

  private final EventFile file;

  FileSink(EventFile file) {
    this.file = file;
  }

  @Override
  public void deliver(EventMessage event, Call call) throws SinkException {
    try {
      file.append(event.json().replace('\n', ' '));
    } catch (IOException e) {
      throw SinkException.away("the file " + file + " cannot be written: " + reason(e), e);
    }
  }

  private static String reason(IOException e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  @Override
  public void close() {
    file.close();
  }
}
