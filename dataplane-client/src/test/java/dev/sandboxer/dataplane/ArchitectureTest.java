package dev.sandboxer.dataplane;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.sandboxer.dataplane", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule theLibraryUsesNothingOfTheProgramsAroundIt =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "dev.sandboxer.dataplane..",
              "java..",
              "javax..",
              "org.jspecify..",
              "com.fasterxml.jackson..",
              "org.apache.commons.compress..",
              "io.netty..")
          .because("other programs use it: keep what is about presenting in cli/");

  @ArchTest
  static final ArchRule nettyIsKnownToOnePackage =
      classes()
          .that()
          .resideOutsideOfPackage("dev.sandboxer.dataplane.websocket")
          .should()
          .onlyDependOnClassesThat()
          .resideOutsideOfPackage("io.netty..")
          .because("websocket/ hides which library it is: add what is needed there");

  @ArchTest
  static final ArchRule featuresDoNotGoInCircles =
      slices()
          .matching("dev.sandboxer.dataplane.(**)")
          .should()
          .beFreeOfCycles()
          .because("a feature is used by itself: put what two share into frame/");

  @ArchTest
  static final ArchRule theConnectionKnowsNoFeature =
      noClasses()
          .that()
          .resideInAPackage("dev.sandboxer.dataplane")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.sandboxer.dataplane.archive",
              "dev.sandboxer.dataplane.exec",
              "dev.sandboxer.dataplane.file",
              "dev.sandboxer.dataplane.frame",
              "dev.sandboxer.dataplane.port",
              "dev.sandboxer.dataplane.process")
          .because("features take a Dataplane: put what they share into the connection or frame/");

  @ArchTest
  static final ArchRule theLibraryPrintsNothing =
      NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.because(
          "a program decides what a person sees: return a value, call a listener or throw");
}
