package dev.sandboxer.bench.kubernetes;

import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the API server was asked by one service account.
 *
 * @param file of the cluster; a line of JSON for each stage of a request
 * @param user such as {@code system:serviceaccount:boxes:sandboxer}
 */
record AuditLog(Path file, String user) {

  /** How many lines there are now. */
  int lines() throws IOException {
    return Files.exists(file) ? Files.readAllLines(file).size() : 0;
  }

  /** How many requests came after so many lines, however many stages each has. */
  int requestsAfter(int lines) throws IOException {
    List<String> all = Files.readAllLines(file);
    Set<Object> ids = new HashSet<>();
    for (String line : all.subList(lines, all.size())) {
      try {
        Map<String, Object> event = JSONObjectUtils.parse(line);
        if (event.get("user") instanceof Map<?, ?> who && user.equals(who.get("username"))) {
          ids.add(event.get("auditID"));
        }
      } catch (ParseException e) {
        throw new IOException(file + " has a line that is no JSON: " + line, e);
      }
    }
    return ids.size();
  }
}
