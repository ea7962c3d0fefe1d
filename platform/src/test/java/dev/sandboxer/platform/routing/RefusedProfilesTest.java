package dev.sandboxer.platform.routing;

import static dev.sandboxer.platform.testing.InProcess.asking;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;

import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A profile that its backend cannot do is refused before anything is made, with the reason. */
@QuarkusTest
@TestProfile(InProcess.class)
class RefusedProfilesTest {

  private static final String ALL = "/v1/sandboxes";
  private static final String EVERY_LIMIT =
      "best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]";

  private static String profile(String isolation, String more) throws IOException {
    return InProcess.profile(
        """
        extension: ext.process
        isolation: {level: %s}
        %s
        """
            .formatted(isolation, more));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "container|best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]|isolation.level: it is container and ext.process offers process",
        "process|best_effort: [uid, cpus, workspace, tmp, open_files, memory]|resources.pids: ext.process cannot enforce pids here",
        "process|best_effort: [uid, cpus, workspace, tmp, open_files, pids]|resources.memory: ext.process cannot enforce memory here",
      })
  void the_reason_names_the_key_that_would_change_it(String level, String more, String reason)
      throws IOException {
    String name = profile(level, more);
    asking()
        .body(Api.create(name))
        .post(ALL)
        .then()
        .statusCode(422)
        .body("error.code", equalTo("NO_CANDIDATE"))
        .body("profile_key", equalTo(reason.substring(0, reason.indexOf(':'))))
        .body("detail", allOf(containsString(reason), containsString("profile." + name)));
    asking().queryParam("profile", name).get(ALL).then().body("items", empty());
  }

  @Test
  void what_the_profile_accepts_is_made() throws IOException {
    String name = profile("process", EVERY_LIMIT);
    asking()
        .header("Prefer", "wait=60")
        .body(Api.create(name))
        .post(ALL)
        .then()
        .statusCode(201)
        .body("extension_id", equalTo("ext.process"));
  }
}
