package dev.sandboxer.platform.database;

import dev.sandboxer.platform.installation.ExternalDatabase;
import java.nio.file.Path;
import java.util.Map;

/**
 * Where the database is.
 *
 * @param url for JDBC, holds no secret
 * @param user to connect as
 * @param passwordFile holds the password
 */
public record DatabaseAddress(String url, String user, Path passwordFile) {

  /**
   * A database that the operator runs.
   *
   * @param database from the settings
   * @return its address
   */
  public static DatabaseAddress of(ExternalDatabase database) {
    return new DatabaseAddress(database.url(), database.user(), database.passwordFile());
  }

  /**
   * What the framework needs to know, as configuration.
   *
   * @return property names and values
   */
  public Map<String, String> configuration() {
    return Map.of(
        "quarkus.datasource.jdbc.url",
        url,
        PasswordFile.USER,
        user,
        PasswordFile.FILE,
        passwordFile.toString());
  }
}
