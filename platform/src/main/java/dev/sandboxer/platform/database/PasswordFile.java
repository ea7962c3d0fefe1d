package dev.sandboxer.platform.database;

import io.quarkus.credentials.CredentialsProvider;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Named;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Reads the password whenever a connection is opened, so that it stands in no configuration. */
@ApplicationScoped
@Named("password-file")
class PasswordFile implements CredentialsProvider {

  static final String USER = "sandboxer.database.user";
  static final String FILE = "sandboxer.database.password-file";

  private final String user;
  private final Path file;

  PasswordFile(@ConfigProperty(name = USER) String user, @ConfigProperty(name = FILE) Path file) {
    this.user = user;
    this.file = file;
  }

  @Override
  public Map<String, String> getCredentials(String name) {
    try {
      return Map.of(
          USER_PROPERTY_NAME, user, PASSWORD_PROPERTY_NAME, Files.readString(file).strip());
    } catch (IOException e) {
      throw new IllegalStateException("database password file " + file + " cannot be read", e);
    }
  }
}
