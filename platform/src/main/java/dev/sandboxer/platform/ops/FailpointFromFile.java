package dev.sandboxer.platform.ops;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jboss.logging.Logger;

/**
 * Where the setting allows it, stops at the place that the home's file {@code run/failpoint.armed}
 * names, and says so in {@code run/failpoint}: whoever armed it kills the process there, or removes
 * that file to let it go on.
 */
@ApplicationScoped
class FailpointFromFile implements Failpoints {

  private static final Logger LOG = Logger.getLogger(FailpointFromFile.class);

  private static final long LOOK_MILLIS = 20;

  private final boolean allowed;
  private final Home home;

  FailpointFromFile(Settings settings, Home home) {
    this.allowed = settings.text(Setting.SANDBOXER_FAILPOINTS).isPresent();
    this.home = home;
  }

  @Override
  public void reach(String name) {
    if (allowed && name.equals(armed())) {
      LOG.warnf("fail point reached name=%s", name);
      home.writePrivate("run/failpoint", name.getBytes(UTF_8));
      stop();
    }
  }

  private String armed() {
    Path file = home.resolve("run/failpoint.armed");
    try {
      return Files.readString(file).strip();
    } catch (NoSuchFileException e) {
      return "";
    } catch (IOException e) {
      LOG.warnf("the fail point cannot be read file=%s error=%s", file, e);
      return "";
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
