package dev.sandboxer.platform.installation;

import java.nio.file.Path;

/**
 * A PostgreSQL that the operator runs.
 *
 * @param url for JDBC, without user and password
 * @param user of the database
 * @param passwordFile holds the password
 */
public record ExternalDatabase(String url, String user, Path passwordFile) {

  static String jdbcUrl(String text) {
    String url = text.replaceFirst("^(jdbc:)?postgres(ql)?://", "jdbc:postgresql://");
    if (!url.startsWith("jdbc:postgresql://")) {
      throw new IllegalArgumentException(
          "it must be such as jdbc:postgresql://db.example.com:5432/sandboxer");
    }
    if (url.contains("@") || url.contains("password=") || url.contains("user=")) {
      throw new IllegalArgumentException(
          "user and password belong into SANDBOXER_DB_USER and SANDBOXER_DB_PASSWORD_FILE");
    }
    return url;
  }
}
