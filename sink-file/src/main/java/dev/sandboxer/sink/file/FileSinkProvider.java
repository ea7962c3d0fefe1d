package dev.sandboxer.sink.file;

import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.sink.EventSink;
import dev.sandboxer.spi.sink.EventSinkProvider;
import java.util.Set;

/** What ServiceLoader finds. */
public final class FileSinkProvider implements EventSinkProvider {

  @Override
  public String kind() {
    return "file";
  }

  @Override
  public Set<String> settings() {
    return FileSettings.KNOWN;
  }

  @Override
  public EventSink create(ExtensionConfig config) {
    return new FileSink(new EventFile(FileSettings.of(config)));
  }
}
