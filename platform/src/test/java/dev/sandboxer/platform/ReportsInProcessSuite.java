package dev.sandboxer.platform;

import org.junit.platform.suite.api.SelectPackages;
import org.junit.platform.suite.api.Suite;

/**
 * Some of the tests within the process: events, their delivery, traces, and what becomes of a
 * create. Each suite runs in a fork of its own as one run, so that its classes share a platform.
 */
@Suite
@SelectPackages({
  "dev.sandboxer.platform.delivery",
  "dev.sandboxer.platform.event",
  "dev.sandboxer.platform.provisioning",
  "dev.sandboxer.platform.routing",
  "dev.sandboxer.platform.trace"
})
class ReportsInProcessSuite {}
