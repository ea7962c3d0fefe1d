package dev.sandboxer.platform.profile;

import dev.sandboxer.platform.installation.Home;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jboss.logging.Logger;

/** The JSON Schema of the profile language, for editors. */
@ApplicationScoped
public class ProfileSchema {

  private static final Logger LOG = Logger.getLogger(ProfileSchema.class);
  private static final String NAME = "profiles/profile.schema.json";

  private final Home home;

  ProfileSchema(Home home) {
    this.home = home;
  }

  /**
   * The schema of this release.
   *
   * @return JSON
   */
  public String text() {
    try (InputStream schema =
        ProfileSchema.class.getResourceAsStream("/schema/profile.schema.json")) {
      return new String(Objects.requireNonNull(schema).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Puts the schema beside the files of the home, where their first line names it. */
  public void publish() {
    try {
      home.writePrivate(NAME, text().getBytes(StandardCharsets.UTF_8));
    } catch (RuntimeException e) {
      LOG.warnf("the profiles' schema could not be written file=%s reason=%s", NAME, e);
    }
  }
}
