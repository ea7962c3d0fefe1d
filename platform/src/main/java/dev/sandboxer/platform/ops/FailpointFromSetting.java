package dev.sandboxer.platform.ops;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.jboss.logging.Logger;

/**
 * Stops at the place that the setting names, and says so in the home's file {@code run/failpoint}:
 * whoever set it kills the process there, or removes the file to let it go on.
 */
@ApplicationScoped
class FailpointFromSetting implements Failpoints {

  private static final Logger LOG = Logger.getLogger(FailpointFromSetting.class);

  private static final long LOOK_MILLIS = 20;

  private final String wanted;
  private final Home home;

  FailpointFromSetting(Settings settings, Home home) {
    this.wanted = settings.text(Setting.SANDBOXER_FAILPOINT).orElse("");
    this.home = home;
  }

  @Override
  public void reach(String name) {
    if (name.equals(wanted)) {
      LOG.warnf("fail point reached name=%s", name);
      home.writePrivate("run/failpoint", name.getBytes(StandardCharsets.UTF_8));
      stop();
    }
  }

  private void stop() {
    try {
      while (Files.exists(home.resolve("run/failpoint"))) {
        Thread.sleep(LOOK_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
