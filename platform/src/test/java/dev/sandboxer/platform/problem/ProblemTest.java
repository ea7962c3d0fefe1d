package dev.sandboxer.platform.problem;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProblemTest {

  @Test
  void body_has_both_shapes() {
    JsonObject body =
        new JsonObject(Problem.of(ErrorCode.NOT_FOUND, "no sandbox \"x\"").json("req_1"));

    assertThat(body.fieldNames()).containsExactly("type", "title", "status", "detail", "error");
    assertThat(body.getInteger("status")).isEqualTo(404);
    assertThat(body.getJsonObject("error"))
        .isEqualTo(
            new JsonObject()
                .put("code", "NOT_FOUND")
                .put("message", "no sandbox \"x\"")
                .put("retryable", false)
                .put("request_id", "req_1"));
  }

  @Test
  void further_members_never_replace_the_own_ones() {
    Problem problem =
        Problem.of(ErrorCode.VALIDATION, "bad").with("example", List.of(1)).with("status", 200);

    assertThat(problem.body("r")).containsEntry("status", 400).containsEntry("example", List.of(1));
  }

  @Test
  void no_candidate_now_may_be_tried_again() {
    Problem problem = Problem.noCandidateNow("all full");

    assertThat(problem.status()).isEqualTo(503);
    assertThat(problem.retryable()).isTrue();
    assertThat(problem.code()).isEqualTo(ErrorCode.NO_CANDIDATE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a\nb", "ü", "a;b", "\u0000"})
  void an_odd_request_id_is_replaced(String offered) {
    assertThat(RequestId.takeOrMake(offered)).matches("req_[a-z0-9]{20}");
  }

  @Test
  void a_sane_request_id_is_taken_and_a_long_one_is_not() {
    assertThat(RequestId.takeOrMake("trace-1.2_A")).isEqualTo("trace-1.2_A");
    assertThat(RequestId.takeOrMake("x".repeat(129))).startsWith("req_");
  }
}
