package dev.sandboxer.platform;

import org.junit.platform.suite.api.ExcludePackages;
import org.junit.platform.suite.api.SelectPackages;
import org.junit.platform.suite.api.Suite;

/** All tests within the process that are not in {@link ReportsInProcessSuite}. */
@Suite
@SelectPackages("dev.sandboxer.platform")
@ExcludePackages({
  "dev.sandboxer.platform.delivery",
  "dev.sandboxer.platform.event",
  "dev.sandboxer.platform.trace"
})
class RestInProcessSuite {}
