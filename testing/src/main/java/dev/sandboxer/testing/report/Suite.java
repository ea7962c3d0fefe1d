package dev.sandboxer.testing.report;

import java.nio.file.Path;
import java.util.List;

/**
 * A class of tests, of Go a package.
 *
 * @param seconds with all that its tests share
 * @param report the file that says more
 */
record Suite(String name, double seconds, List<TestCase> tests, Path report) {}
