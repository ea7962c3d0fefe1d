package dev.sandboxer.platform.installation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several installations on one host. */
class HostUidsTest {

  @TempDir private Path folder;

  private HostUids of(String home, Map<String, String> settings, boolean root) throws IOException {
    Path place = folder.resolve(home);
    return new HostUids(
        place, Settings.load(Home.open(place), settings::get), folder.resolve("blocks"), root);
  }

  private UidRange leased(String home) throws IOException {
    return of(home, Map.of(), true).leased();
  }

  @Test
  void eachHasABlockOfItsOwnAndKeepsIt() throws IOException {
    UidRange one = leased("one");
    UidRange two = leased("two");
    assertThat(one).isEqualTo(UidRange.DEFAULT);
    assertThat(two.first()).isEqualTo(one.last() + 1);
    assertThat(two.size()).isEqualTo(one.size());
    assertThat(leased("two")).isEqualTo(two);
    assertThat(leased("one")).isEqualTo(one);
  }

  @Test
  void theBlockOfAHomeThatIsGoneIsFree() throws IOException {
    UidRange one = leased("one");
    UidRange two = leased("two");
    Files.move(folder.resolve("one"), folder.resolve("moved"));
    assertThat(leased("three")).isEqualTo(one);
    assertThat(leased("two")).isEqualTo(two);
  }

  @Test
  void thoseThatStartAtOnceGetDifferentOnes() {
    Set<UidRange> all = ConcurrentHashMap.newKeySet();
    IntStream.range(0, 16)
        .parallel()
        .forEach(
            n -> {
              try {
                all.add(leased("home" + n));
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    assertThat(new HashSet<>(all)).hasSize(16);
  }

  @Test
  void whatTheOperatorSetCountsAndOthersThanRootHaveTheDefault() throws IOException {
    assertThat(of("set", Map.of("SANDBOXER_UID_RANGE", "3000-4000"), true).leased())
        .isEqualTo(new UidRange(3000, 4000));
    assertThat(of("user", Map.of(), false).leased()).isEqualTo(UidRange.DEFAULT);
    assertThat(folder.resolve("blocks")).doesNotExist();
  }

  @Test
  void aPlaceThatCannotBeWrittenKeepsNobodyFromStarting() throws IOException {
    Files.writeString(folder.resolve("blocks"), "no folder");
    assertThat(leased("one")).isEqualTo(UidRange.DEFAULT);
  }

  @Test
  void socketsOfOlderSandboxesAreStillTaken() throws IOException {
    var _ = leased("one");
    HostUids second = of("two", Map.of(), true);
    assertThat(second.sandboxes(UidRange.DEFAULT.first())).isTrue();
    assertThat(second.sandboxes(second.leased().last())).isTrue();
    assertThat(second.sandboxes(second.leased().last() + 1)).isFalse();
    assertThat(second.sandboxes(1000)).isFalse();
  }
}
