package dev.sandboxer.platform;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.beAnnotatedWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.util.Timer;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Pattern;

/** The rooms of the house; each rule says how to mend what breaks it. */
@AnalyzeClasses(packages = "dev.sandboxer", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  private static final String PLATFORM = "dev.sandboxer.platform..";
  private static final String SPI = "dev.sandboxer.spi..";
  private static final String LOADING = "dev.sandboxer.loading..";
  private static final String YAML = "dev.sandboxer.yaml..";

  private static final Pattern RACED_FOR =
      Pattern.compile("sandbox|attempt|session|activity|event.*|sink.*|revocation|ticket");

  @ArchTest
  static final ArchRule theSpiNeedsOnlyTheJdk =
      classes()
          .that()
          .resideInAPackage(SPI)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(SPI, "java..", "org.jspecify..")
          .because("extensions share it: move what needs a library into platform/");

  @ArchTest
  static final ArchRule thePlatformUsesNoExtension =
      noClasses()
          .that()
          .resideInAPackage(PLATFORM)
          .should()
          .dependOnClassesThat(
              resideInAPackage("dev.sandboxer..")
                  .and(not(resideInAnyPackage(PLATFORM, SPI, LOADING, YAML))))
          .because("backends are plug-ins: add to the SPI what the platform needs of them");

  @ArchTest
  static final ArchRule noServiceKnowsTheApi =
      noClasses()
          .that(
              resideInAPackage(PLATFORM).and(not(resideInAPackage("dev.sandboxer.platform.api.."))))
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.sandboxer.platform.api..")
          .because("api calls services: give the service a type of its own, and map it in api")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule sandboxKnowsNoOtherFeature =
      noClasses()
          .that()
          .resideInAPackage("dev.sandboxer.platform.sandbox..")
          .should()
          .dependOnClassesThat(
              resideInAPackage(PLATFORM)
                  .and(
                      not(
                          resideInAnyPackage(
                              "dev.sandboxer.platform.sandbox..", "dev.sandboxer.platform.id.."))))
          .because(
              "it publishes transitions: let the other feature observe them; ids have no feature")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule featuresDoNotGoInCircles =
      slices()
          .matching("dev.sandboxer.platform.(*)..")
          .should()
          .beFreeOfCycles()
          .because(
              "a feature can then be read alone: turn one direction into an interface or an event")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule onlyTheBootStartsAndStopsTheProcess =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "dev.sandboxer.platform.boot..", "dev.sandboxer.platform", "dev.sandboxer.testing..")
          .should()
          .callMethod(System.class, "exit", int.class)
          .orShould()
          .callMethod(System.class, "getenv", String.class)
          .because("settings come from Settings, and the end of the process from boot")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule entitiesAreForPlainRecords =
      noClasses()
          .that(
              resideInAPackage(PLATFORM)
                  .and(
                      not(
                          resideInAnyPackage(
                              "dev.sandboxer.platform.access..",
                              "dev.sandboxer.platform.audit..",
                              "dev.sandboxer.platform.database.."))))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("jakarta.persistence..", "org.hibernate..", "io.quarkus.hibernate..")
          .because(
              "only plain records have entities: use the Jdbi bean, or call the feature that has the"
                  + " entity; a further feature whose rows have one writer at a time is added here");

  @ArchTest
  static final ArchRule noEntityIsARowThatWorkersRaceFor =
      classes()
          .that()
          .areAnnotatedWith(Entity.class)
          .should(
              beAnnotatedWith(
                  DescribedPredicate.describe(
                      "@Table of a plain record",
                      annotation ->
                          annotation.getRawType().isEquivalentTo(Table.class)
                              && annotation
                                  .get("name")
                                  .filter(name -> !RACED_FOR.matcher(name.toString()).matches())
                                  .isPresent())))
          .because(
              "whether a statement has changed such a row decides who goes on, and a session would"
                  + " keep an older copy: write the statement as SQL for Jdbi; other entities name"
                  + " their table");

  @ArchTest
  static final ArchRule transactionsOfEntitiesAreBegunInOnePlace =
      noClasses()
          .that(
              resideInAPackage(PLATFORM)
                  .and(not(resideInAPackage("dev.sandboxer.platform.database.."))))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("jakarta.transaction..", "io.quarkus.narayana..")
          .because("it also bounds who uses the pool: call Transactions");

  @ArchTest
  static final ArchRule repeatedWorkIsScheduled =
      noClasses()
          .that()
          .resideInAPackage(PLATFORM)
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(ScheduledExecutorService.class, Timer.class)
          .because(
              "annotate the job with @Scheduled; one that runs more than once a second is a"
                  + " WakeableLoop");

  @ArchTest
  static final ArchRule namesSayWhatAClassIs =
      noClasses()
          .should()
          .haveNameMatching(".*(Util|Utils|Helper|Manager|Impl)")
          .because("such a name says nothing: name the thing, or move the method to its data");
}
