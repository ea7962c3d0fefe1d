package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.client.Api;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Boxes whose platform was killed while they were made. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ParameterizedClass(name = "on {0}")
@MethodSource("nsjail")
class BoxFaultsTest extends Crashes {

  /** A tenant's boxes are recorded one after the other, so one of these alone can stop there. */
  private static final List<List<String>> TOGETHER =
      List.of(List.of("create.recorded", "box.planned"), List.of("box.recorded"));

  private static final List<String> STEPS = TOGETHER.stream().flatMap(List::stream).toList();

  /** What is cut off is the same for all. */
  static List<Backend> nsjail() {
    return List.of(new NsjailBackend());
  }

  @Test
  void aScopeHasOneBoxWhereverItsPlatformWasKilled() {
    for (List<String> steps : TOGETHER) {
      cut(steps.stream().map(step -> new Cut(step, () -> request(step))).toList());
    }
    Set<String> ids = new TreeSet<>();
    for (String step : STEPS) {
      Box box =
          Box.ensure(
              platform.api(), backend.profile(), "{launcher_id}", Map.of("launcher_id", step));
      ids.add(box.id());
      assertThat(box.outcome()).isEqualTo(step.equals("create.recorded") ? "found" : "new");
      assertThat(box.out("echo alive")).isEqualTo("alive\n");
    }
    assertThat(ids).hasSameSizeAs(STEPS);
    assertThat(platform.api().get("/v1/boxes").json().path("items")).hasSameSizeAs(STEPS);
    oneObjectForEachLiveRecord(platform.api());
    ids.forEach(id -> assertThat(platform.api().delete("/v1/boxes/" + id).status()).isEqualTo(204));
  }

  private void request(String chat) {
    Api.Reply reply =
        platform
            .api()
            .post(
                "/v1/boxes",
                """
                {"template": "{launcher_id}", "variables": {"launcher_id": "%s"}, "profile": "%s"}"""
                    .formatted(chat, backend.profile()));
    throw new AssertionError("it was not cut off: " + reply.text());
  }
}
