package dev.sandboxer.testing.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Reads the reports that Surefire, Failsafe and gotestsum write, all in JUnit's form. */
final class Reports {

  private static final int LENGTH = 240;

  private final XMLInputFactory xml = XMLInputFactory.newDefaultFactory();

  Reports() {
    xml.setProperty(XMLInputFactory.SUPPORT_DTD, false);
  }

  /** Every class of the reports in the modules of {@code top} that were written since then. */
  List<Suite> read(Path top, FileTime since) throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.find(top, 4, (file, what) -> isReport(top.relativize(file)))) {
      files = found.sorted().toList();
    }
    List<Suite> suites = new ArrayList<>();
    for (Path file : files) {
      if (Files.getLastModifiedTime(file).compareTo(since) >= 0) {
        suites.addAll(readFile(file));
      }
    }
    return suites;
  }

  private static boolean isReport(Path file) {
    return file.getNameCount() == 4
        && file.getName(1).toString().equals("target")
        && file.getName(2).toString().endsWith("-reports")
        && file.toString().endsWith(".xml");
  }

  private List<Suite> readFile(Path file) throws IOException {
    List<Suite> suites = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      XMLStreamReader reader = xml.createXMLStreamReader(in);
      while (reader.hasNext()) {
        if (reader.next() == XMLStreamConstants.START_ELEMENT
            && reader.getLocalName().equals("testsuite")) {
          Suite suite = readSuite(reader, file);
          if (!suite.tests().isEmpty()) { // else it groups classes that have reports of their own
            suites.add(suite);
          }
        }
      }
    } catch (XMLStreamException e) { // its writer was ended in the midst
      suites.add(
          new Suite(
              String.valueOf(file.getFileName()),
              0,
              List.of(new TestCase("?", Optional.of("half a report: " + e.getMessage()), false)),
              file));
    }
    return suites;
  }

  private static Suite readSuite(XMLStreamReader reader, Path file) throws XMLStreamException {
    String name = attribute(reader, "name");
    double seconds = seconds(attribute(reader, "time"));
    Map<String, TestCase> tests = new LinkedHashMap<>();
    while (reader.next() != XMLStreamConstants.END_ELEMENT
        || !reader.getLocalName().equals("testsuite")) {
      if (reader.isStartElement() && reader.getLocalName().equals("testcase")) {
        TestCase test = readCase(reader);
        tests.merge(test.name(), test, TestCase::and);
      }
    }
    return new Suite(name, seconds, List.copyOf(tests.values()), file);
  }

  /** Surefire says {@code flakyFailure} of what passed when it ran again. */
  private static TestCase readCase(XMLStreamReader reader) throws XMLStreamException {
    String name = attribute(reader, "name");
    Optional<String> problem = Optional.empty();
    boolean passed = true;
    while (reader.next() != XMLStreamConstants.END_ELEMENT
        || !reader.getLocalName().equals("testcase")) {
      if (!reader.isStartElement()) {
        continue;
      }
      String element = reader.getLocalName();
      if (element.matches("failure|error|flakyFailure|flakyError")) {
        passed &= element.startsWith("flaky");
        String line = beginning(reader);
        problem = problem.or(() -> Optional.of(line));
      }
    }
    return new TestCase(name, problem, passed);
  }

  /** Of a Go test the message says nothing, and the text all. */
  private static String beginning(XMLStreamReader element) throws XMLStreamException {
    String said = attribute(element, "message");
    if (said.isBlank() || said.equals("Failed")) {
      said =
          element.getLocalName().startsWith("flaky")
              ? attribute(element, "type")
              : element.getElementText();
    }
    return said.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("=== "))
        .reduce((before, line) -> before.length() < LENGTH ? before + " " + line : before)
        .map(text -> text.length() > LENGTH ? text.substring(0, LENGTH) + " ..." : text)
        .orElse("it says nothing");
  }

  private static String attribute(XMLStreamReader element, String name) {
    return Objects.requireNonNullElse(element.getAttributeValue(null, name), "");
  }

  /** Surefire writes 1,234.5 for a thousand seconds and more. */
  private static double seconds(String time) {
    return time.isEmpty() ? 0 : Double.parseDouble(time.replace(",", ""));
  }
}
