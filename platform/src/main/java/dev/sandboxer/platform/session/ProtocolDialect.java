package dev.sandboxer.platform.session;

import dev.sandboxer.platform.problem.ErrorCode;

/** The two forms of the protocol, which name some errors differently. */
public enum ProtocolDialect {
  /** Threads only; also the grant door. */
  SHORT(ErrorCode.SESSION_NOT_FOUND, ErrorCode.SESSION_CONFLICT, ErrorCode.PROVIDER_UNAVAILABLE),
  /** Scopes, actors, capabilities, leases. */
  FULL(ErrorCode.BINDING_NOT_FOUND, ErrorCode.BINDING_CONFLICT, ErrorCode.BACKEND_UNAVAILABLE);

  private final ErrorCode notFound;
  private final ErrorCode conflict;
  private final ErrorCode unavailable;

  ProtocolDialect(ErrorCode notFound, ErrorCode conflict, ErrorCode unavailable) {
    this.notFound = notFound;
    this.conflict = conflict;
    this.unavailable = unavailable;
  }

  /**
   * No session that the caller may see.
   *
   * @return status 404
   */
  public ErrorCode notFound() {
    return notFound;
  }

  /**
   * The scope is bound otherwise.
   *
   * @return status 409
   */
  public ErrorCode conflict() {
    return conflict;
  }

  /**
   * No backend can make a sandbox now.
   *
   * @return status 503
   */
  public ErrorCode unavailable() {
    return unavailable;
  }
}
