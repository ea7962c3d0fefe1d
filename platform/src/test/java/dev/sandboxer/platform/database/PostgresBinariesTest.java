package dev.sandboxer.platform.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresBinariesTest {

  @Test
  void whoeverUnpacksAtTheSameTimeFindsThemWhole(@TempDir Path cache) throws Exception {
    Callable<PostgresBinaries> unpack = () -> PostgresBinaries.in(cache);
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (Future<PostgresBinaries> one : threads.invokeAll(List.of(unpack, unpack))) {
        assertThat(Path.of(one.get().program("postgres"))).isExecutable();
      }
    }
    try (Stream<Path> left = Files.list(cache)) {
      assertThat(left).hasSize(1);
    }
  }
}
