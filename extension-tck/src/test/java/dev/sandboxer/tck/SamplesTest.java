package dev.sandboxer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.sandboxer.spi.SandboxExtensionProvider;
import dev.sandboxer.tck.sample.Keeping;
import dev.sandboxer.tck.sample.Sleeping;
import dev.sandboxer.tck.sample.Sound;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** A sound extension passes the suite; one that breaks a promise fails it by that promise. */
class SamplesTest {
  @TempDir private static Path folder;
  private static Samples samples;

  @BeforeAll
  static void compileTheGuide() throws IOException {
    samples = new Samples(folder);
  }

  /** What a leaking sample leaves must not outlive the test. */
  @AfterEach
  void endWhatIsLeft() {
    ProcessHandle.current()
        .descendants()
        .filter(p -> p.info().command().orElse("").endsWith("/boxd"))
        .forEach(ProcessHandle::destroyForcibly);
  }

  @Test
  void theExtensionOfTheGuidePasses() {
    Events tests = run(samples.environment(Sound.class), selectClass(SampleTck.class));
    assertThat(tests.started().count()).isGreaterThan(30);
    tests.assertStatistics(statistics -> statistics.failed(0).skipped(0).aborted(0));
  }

  @Test
  void oneThatKeepsStatesPasses() {
    Environment environment = samples.environment(Keeping.class);
    for (String check :
        List.of(
            "descriptorDeclaresEachPowerThatItHas",
            "startsFromASnapshotWhereItDeclaresThem",
            "refusesASnapshotThatIsGone")) {
      run(environment, selectMethod(SampleTck.class, check))
          .assertStatistics(statistics -> statistics.started(1).succeeded(1));
    }
  }

  @Test
  void oneThatSuspendsPasses() {
    Environment environment = samples.environment(Sleeping.class);
    for (String check : List.of("suspendsAndResumesWhereItCan", "tearsDownWhatIsSuspended")) {
      run(environment, selectMethod(SampleTck.class, check))
          .assertStatistics(statistics -> statistics.started(1).succeeded(1));
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          BrokenDescriptions$OtherApi   | descriptorIsForThisApi                     | 10 | apiVersion is 99
          BrokenDescriptions$Unstable   | descriptorIsTheSameOnEachCall              | 10 | different values
          BrokenDescriptions$Boastful   | descriptorDeclaresEachPowerThatItHas       | 10 | does not implement Volumes
          BrokenDescriptions$Everywhere | isReachedInspectedAndGone                  | 10 | nodeBound is false
          BrokenObjects$Leaky           | teardownByHandleRemovesEverything          | 5  | find gives [SandboxHandle
          BrokenObjects$Leaky           | teardownByIdentityRemovesEverything        | 5  | find gives [SandboxHandle
          BrokenObjects$Once            | teardownOfWhatNeverWasIsClean              | 8  | nothing to tear down
          BrokenObjects$Trusting        | leavesWhatIsNotSignedAlone                 | 9  | lists an object with a wrong signature
          BrokenObjects$Unsigned        | leavesWhatIsNotSignedAlone                 | 9  | lists an object with a wrong signature
          BrokenObjects$Unsigned        | identityIsSigned                           | 4  | did not ask for a signature
          BrokenObjects$Indiscreet      | keepsNoLoginOfARegistry                    | 14 | holds the password
          BrokenObjects$Doubling        | provisionTwiceIsOneSandbox                 | 5  | one identity has the sandboxes
          BrokenObjects$Forgetful       | isFoundByIdentityAlone                     | 4  | find after a restart gives []
          BrokenObjects$ShortSighted    | inventoryIsCompleteAndOnlyOurs             | 13 | a complete inventory lists
          BrokenObjects$Clingy          | goesOnAfterARestart                        | 12 | close() releases no sandbox
          BrokenObjects$Hopeful         | isSeenToEnd                                | 12 | boxd has ended and inspect says Gone
          BrokenAnswers$Lying           | outcomeIsHonestWithABoxdThatEndsAtOnce     | 6  | NothingCreated
          BrokenAnswers$Stubborn        | callsEndAtTheirDeadline                    | 3  | waitReady still runs
          BrokenAnswers$Untyped         | outcomeIsHonestWithoutABoxd                | 6  | provision threw java.lang.IllegalStateException
          BrokenAnswers$Careless        | refusesUndeclaredIsolation                 | 7  | was accepted
          BrokenAnswers$Careless        | refusesUndeclaredNetwork                   | 7  | network PUBLIC
          BrokenAnswers$Careless        | refusesUndeclaredVolumes                   | 7  | a volume
          BrokenAnswers$Careless        | refusesOrReportsLimitsThatNothingEnforces  | 7  | limit UID
          BrokenAnswers$Careless        | refusesOptionsWithoutASchema               | 7  | options.tck
          BrokenAnswers$Careless        | refusesUndeclaredSnapshots                 | 7  | a snapshot
          BrokenSnapshots$Fresh         | refusesASnapshotThatIsGone                 | 7  | a snapshot that was removed
          BrokenSnapshots$Doubled       | startsFromASnapshotWhereItDeclaresThem     | 5  | two snapshots of one name
          Sleeping$Unaware              | suspendsAndResumesWhereItCan               | 12 | it was suspended
          Sleeping$Drowsy               | suspendsAndResumesWhereItCan               | 12 | it was resumed
          Sleeping$Strict               | suspendsAndResumesWhereItCan               | 5  | it is suspended already
          BrokenAnswers$Binding         | refusesFoldersThatItDoesNotBind            | 7  | a folder
          BrokenAnswers$Vague           | refusesUndeclaredVolumes                   | 7  | refused with INTERNAL
          BrokenAnswers$Silent          | refusesOrReportsLimitsThatNothingEnforces  | 7  | waitReady reports []
          BrokenAnswers$Hasty           | isReachedInspectedAndGone                  | 11 | boxd does not answer at
          BrokenAnswers$Mixing          | manyLiveSideBySide                         | 11 | not boxd of
          """)
  void aBrokenOneFailsForTheRightReason(String sample, String check, int promise, String seen)
      throws ClassNotFoundException {
    Environment environment = samples.environment(provider(sample));
    assertFails(environment, check, promise, seen);
  }

  @Test
  void oneThatServiceLoaderDoesNotFindIsNotLoaded() {
    Environment environment = Environment.of(Sound.class); // the class path names no service
    assertFails(environment, "loadsInAClassLoaderOfItsOwn", 2, "and name 0");
    assertFails(environment, "isReachedInspectedAndGone", 2, "and name 0");
  }

  private static void assertFails(Environment environment, String check, int promise, String seen) {
    List<String> failures =
        run(environment, selectMethod(SampleTck.class, check)).failed().stream()
            .map(event -> event.getRequiredPayload(TestExecutionResult.class))
            .map(result -> String.valueOf(result.getThrowable().orElseThrow().getMessage()))
            .toList();
    assertThat(failures)
        .singleElement()
        .asString()
        .startsWith("promise " + promise + " (")
        .contains(seen)
        .contains("what to do: ");
  }

  private static Events run(Environment environment, DiscoverySelector what) {
    return ScopedValue.where(SampleTck.TRIED, environment)
        .call(() -> EngineTestKit.engine("junit-jupiter").selectors(what).execute().testEvents());
  }

  private static Class<? extends SandboxExtensionProvider> provider(String name)
      throws ClassNotFoundException {
    return Class.forName("dev.sandboxer.tck.sample." + name)
        .asSubclass(SandboxExtensionProvider.class);
  }
}
