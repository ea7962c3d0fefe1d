package dev.sandboxer.platform;

import org.junit.platform.suite.api.ExcludePackages;
import org.junit.platform.suite.api.SelectPackages;
import org.junit.platform.suite.api.Suite;

/** All tests within the process that are not in one of the other suites. */
@Suite
@SelectPackages("dev.sandboxer.platform")
@ExcludePackages({
  "dev.sandboxer.platform.delivery",
  "dev.sandboxer.platform.event",
  "dev.sandboxer.platform.provisioning",
  "dev.sandboxer.platform.routing",
  "dev.sandboxer.platform.sweep",
  "dev.sandboxer.platform.trace"
})
class RestInProcessSuite {}
