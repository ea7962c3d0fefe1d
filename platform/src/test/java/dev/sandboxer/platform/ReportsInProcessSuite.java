package dev.sandboxer.platform;

import org.junit.platform.suite.api.SelectPackages;
import org.junit.platform.suite.api.Suite;

/**
 * Half of the tests within the process: what leaves the platform. Each half runs in a fork of its
 * own, all its classes as one run, so that they share a platform.
 */
@Suite
@SelectPackages({
  "dev.sandboxer.platform.delivery",
  "dev.sandboxer.platform.event",
  "dev.sandboxer.platform.trace"
})
class ReportsInProcessSuite {}
