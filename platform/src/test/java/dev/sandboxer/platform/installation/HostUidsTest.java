package dev.sandboxer.platform.installation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several installations on one host. */
class HostUidsTest {

  private static final int STARTED = 6;

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
  void processesThatStartAtOnceGetDifferentOnes() throws IOException, InterruptedException {
    List<Process> all = new ArrayList<>();
    for (int n = 0; n < STARTED; n++) {
      all.add(
          new ProcessBuilder(
                  ProcessHandle.current().info().command().orElseThrow(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  HostUidsTest.class.getName(),
                  folder.toString(),
                  "home" + n)
              .inheritIO()
              .start());
    }
    for (Process process : all) {
      assertThat(process.waitFor()).isZero();
    }
    Set<UidRange> leased = new HashSet<>();
    for (int n = 0; n < STARTED; n++) {
      leased.add(leased("home" + n));
    }
    assertThat(leased).hasSize(STARTED);
    assertThat(folder.resolve("blocks").resolve(Integer.toString(STARTED))).doesNotExist();
  }

  /** Takes a block in a process of its own: the lock is one between processes. */
  public static void main(String[] arguments) throws IOException {
    HostUidsTest process = new HostUidsTest();
    process.folder = Path.of(arguments[0]);
    var _ = process.leased(arguments[1]);
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
