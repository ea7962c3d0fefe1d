package dev.sandboxer.platform.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a system call says becomes a sentence without the name of a class. */
class MountRefusedExceptionTest {

  static Stream<Arguments> causes() {
    return Stream.of(
        Arguments.of(
            new AccessDeniedException("/srv/a/b"), "the platform's user may not read /srv/a/b"),
        Arguments.of(new NoSuchFileException("/srv/a/b"), "/srv/a/b is gone"),
        Arguments.of(
            new FileSystemException("/srv/a/b", null, "Input/output error"),
            "/srv/a/b: Input/output error"),
        Arguments.of(new IOException("No space left on device"), "No space left on device"));
  }

  @ParameterizedTest
  @MethodSource("causes")
  void itIsASentence(IOException cause, String expected) {
    assertThat(MountRefusedException.unreadable(Path.of("/srv/a"), cause))
        .hasMessage("/srv/a cannot be read: " + expected);
  }
}
