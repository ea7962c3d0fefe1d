package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.sandbox.Failure;
import dev.sandboxer.platform.sandbox.Sandbox;

/** The answer to who has waited for a sandbox that failed. */
public final class SandboxFailure {

  private SandboxFailure() {}

  /**
   * Says why it failed.
   *
   * @param sandbox in state failed
   * @return with {@code sandbox_id}, and {@code profile_key} where one would change the outcome
   */
  public static Problem problem(Sandbox sandbox) {
    Failure failure = sandbox.failure();
    if (failure == null) {
      return Problem.of(ErrorCode.INTERNAL, "the sandbox failed")
          .with("sandbox_id", sandbox.publicId());
    }
    FailureView view = FailureView.of(failure);
    Problem problem =
        Problem.of(ErrorCode.valueOf(view.code()), view.message())
            .with("sandbox_id", sandbox.publicId());
    return view.profileKey() == null ? problem : problem.with("profile_key", view.profileKey());
  }
}
