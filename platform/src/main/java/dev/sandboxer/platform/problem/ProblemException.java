package dev.sandboxer.platform.problem;

/** Thrown by services for an error that the caller is to see as it is. */
public class ProblemException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient Problem problem;

  /**
   * Wraps a problem.
   *
   * @param problem to answer with
   */
  public ProblemException(Problem problem) {
    super(problem.code() + ": " + problem.detail());
    this.problem = problem;
  }

  /**
   * A problem with the code's own status.
   *
   * @param code what went wrong
   * @param detail for a person
   */
  public ProblemException(ErrorCode code, String detail) {
    this(Problem.of(code, detail));
  }

  /**
   * What to answer with.
   *
   * @return the problem
   */
  public Problem problem() {
    return problem;
  }
}
