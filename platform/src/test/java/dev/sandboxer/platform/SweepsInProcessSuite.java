package dev.sandboxer.platform;

import org.junit.platform.suite.api.SelectPackages;
import org.junit.platform.suite.api.Suite;

/** The tests of sweeps within the process: most of them is waiting for a grace to pass. */
@Suite
@SelectPackages("dev.sandboxer.platform.sweep")
class SweepsInProcessSuite {}
