package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.client.Api;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What runs in a sandbox does not notice that its platform is killed, however often. */
@OnEveryBackend
class KilledTenTimesTest extends Crashes {

  private static final int TIMES = 10;
  private static final String WORK =
      "{\"process_id\": \"work\", \"command\": \"exec sleep 86413\"}";

  @Test
  void whatRunsOutlivesTenKills() {
    Api api = platform.api();
    String id = api.ready(backend.profile()).path("id").asText();
    Api.Reply started = api.access(id).post("/processes", WORK);
    assertThat(started.status()).as(started.text()).isEqualTo(201);
    String pid = started.field("/pid");
    Set<ProcessHandle> onHost = workOf(id);
    assertThat(onHost).hasSize(1);
    Set<String> objects = backend.objectsOf(id);
    for (int time = 1; time <= TIMES; time++) {
      platform.kill();
      platform.restart(settings());
      String kill = "kill " + time;
      Api.Dataplane inside = platform.api().access(id);
      Api.Reply work = inside.get("/processes/work");
      assertThat(work.field("/state")).as(kill + work.text()).isEqualTo("running");
      assertThat(work.field("/pid")).as(kill).isEqualTo(pid);
      assertThat(workOf(id)).as(kill).isEqualTo(onHost);
      assertThat(backend.objectsOf(id)).as(kill).isEqualTo(objects);
      Api.Reply exec = inside.exec("sh", "-c", "kill -0 " + pid + " && echo runs");
      assertThat(exec.field("/stdout")).as(kill + exec.text()).isEqualTo("runs\n");
    }
    oneObjectForEachLiveRecord(platform.api());
  }

  /** With their times of start: a handle is not that of another process with the same number. */
  private Set<ProcessHandle> workOf(String id) {
    return backend
        .processesOf(id)
        .filter(process -> Host.processes("sleep", "86413").anyMatch(process::equals))
        .collect(Collectors.toSet());
  }
}
