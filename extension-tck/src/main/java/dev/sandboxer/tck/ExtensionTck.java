package dev.sandboxer.tck;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every extension promises, each promise tried on the real backend. An extension passes with a
 * class of its own that only says where:
 *
 * {@snippet :
 * class MyTck extends ExtensionTck {
 *   @Override
 *   protected Environment environment() {
 *     return Environment.of(MyProvider.class).image("busybox");
 *   }
 * }
 * }
 *
 * <p>Each test makes and removes its own sandboxes, under installations of its own.
 */
public abstract class ExtensionTck {
  private Benches benches;

  /** For subclasses. */
  @SuppressWarnings("NullAway.Init") // before each test
  protected ExtensionTck() {}

  /**
   * Where the extension is tried.
   *
   * @return the same surroundings for each test
   */
  protected abstract Environment environment();

  @BeforeEach
  final void prepare() {
    benches = new Benches(environment());
  }

  @AfterEach
  final void leaveNothing() {
    benches.close();
  }

  @Test
  final void loadsInAClassLoaderOfItsOwn() {
    new DescriptionChecks(benches).loadsInAClassLoaderOfItsOwn();
  }

  @Test
  final void descriptorIsTheSameOnEachCall() {
    new DescriptionChecks(benches).isTheSameOnEachCall();
  }

  @Test
  final void descriptorIsForThisApi() {
    new DescriptionChecks(benches).isForThisApi();
  }

  @Test
  final void descriptorDeclaresEachPowerThatItHas() {
    new DescriptionChecks(benches).declaresEachPowerThatItHas();
  }

  @Test
  final void quotesWhatItDeclares() {
    new DescriptionChecks(benches).quotesWhatItDeclares();
  }

  @Test
  final void probesByTryingWhereItCan() {
    new DescriptionChecks(benches).probesByTryingWhereItCan();
  }

  @Test
  final void isReachedInspectedAndGone() {
    new LifeChecks(benches).isReachedInspectedAndGone();
  }

  @Test
  final void manyLiveSideBySide() {
    new LifeChecks(benches).manyLiveSideBySide();
  }

  @Test
  final void isSeenToEnd() {
    new LifeChecks(benches).isSeenToEnd();
  }

  @Test
  final void goesOnAfterARestart() {
    new LifeChecks(benches).goesOnAfterARestart();
  }

  @Test
  final void refusesHandlesThatAreNotItsOwn() {
    new LifeChecks(benches).refusesHandlesThatAreNotItsOwn();
  }

  @Test
  final void provisionTwiceIsOneSandbox() {
    new ProvisionChecks(benches).twiceIsOneSandbox();
  }

  @Test
  final void provisionAtOnceIsOneSandbox() {
    new ProvisionChecks(benches).atOnceIsOneSandbox();
  }

  @Test
  final void provisionAfterARestartIsOneSandbox() {
    new ProvisionChecks(benches).againAfterARestartIsOneSandbox();
  }

  @Test
  final void keepsNoLoginOfARegistry() {
    new ProvisionChecks(benches).keepsNoLogin();
  }

  @Test
  final void identityIsSigned() {
    new ProvisionChecks(benches).isSigned();
  }

  @Test
  final void isFoundByIdentityAlone() {
    new ProvisionChecks(benches).isFoundByIdentityAlone();
  }

  @Test
  final void teardownByHandleRemovesEverything() {
    new TeardownChecks(benches).byHandleRemovesEverything();
  }

  @Test
  final void teardownByIdentityRemovesEverything() {
    new TeardownChecks(benches).byIdentityRemovesEverything();
  }

  @Test
  final void teardownOfWhatNeverWasIsClean() {
    new TeardownChecks(benches).ofWhatNeverWasIsClean();
  }

  @Test
  final void teardownClearsWhatAHalfDoneProvisionLeft() {
    new TeardownChecks(benches).clearsWhatAHalfDoneProvisionLeft();
  }

  @Test
  final void leavesAnotherInstallationAlone() {
    new TeardownChecks(benches).leavesAnotherInstallationAlone();
  }

  @Test
  final void leavesWhatIsNotSignedAlone() {
    new TeardownChecks(benches).leavesWhatIsNotSignedAlone();
  }

  @Test
  final void inventoryIsCompleteAndOnlyOurs() {
    new InventoryChecks(benches).isCompleteAndOnlyOurs();
  }

  @Test
  final void refusesUndeclaredIsolation() {
    new RefusalChecks(benches).ofUndeclaredIsolation();
  }

  @Test
  final void refusesUndeclaredNetwork() {
    new RefusalChecks(benches).ofUndeclaredNetwork();
  }

  @Test
  final void refusesUndeclaredVolumes() {
    new RefusalChecks(benches).ofUndeclaredVolumes();
  }

  @Test
  final void refusesFoldersThatItDoesNotBind() {
    new RefusalChecks(benches).ofFoldersThatItDoesNotBind();
  }

  @Test
  final void refusesOptionsWithoutASchema() {
    new RefusalChecks(benches).ofOptionsWithoutASchema();
  }

  @Test
  final void refusesUndeclaredSnapshots() {
    new RefusalChecks(benches).ofUndeclaredSnapshots();
  }

  @Test
  final void startsFromASnapshotWhereItDeclaresThem() {
    new SnapshotChecks(benches).startsFromOne();
  }

  @Test
  final void refusesASnapshotThatIsGone() {
    new SnapshotChecks(benches).refusesOneThatIsGone();
  }

  @Test
  final void suspendsAndResumesWhereItCan() {
    new SuspendChecks(benches).suspendsAndResumes();
  }

  @Test
  final void tearsDownWhatIsSuspended() {
    new SuspendChecks(benches).tearsDownWhatIsSuspended();
  }

  @Test
  final void refusesOrReportsLimitsThatNothingEnforces() {
    new RefusalChecks(benches).ofLimitsThatNothingEnforces();
  }

  @Test
  final void outcomeIsHonestWithoutABoxd() {
    new OutcomeChecks(benches).withoutABoxd();
  }

  @Test
  final void outcomeIsHonestWithABoxdThatEndsAtOnce() {
    new OutcomeChecks(benches).withABoxdThatEndsAtOnce();
  }

  @Test
  final void callsEndWhenTheyAreCancelled() {
    new CallChecks(benches).endWhenTheyAreCancelled();
  }

  @Test
  final void callsEndAtTheirDeadline() {
    new CallChecks(benches).endAtTheirDeadline();
  }
}
