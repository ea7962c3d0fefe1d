package dev.sandboxer.platform.boot;

import dev.sandboxer.platform.audit.AuditWork;
import dev.sandboxer.platform.session.SessionWork;
import dev.sandboxer.platform.token.TokenWork;
import jakarta.enterprise.context.ApplicationScoped;

/** The work of tokens, sessions and audit while the node serves. */
@ApplicationScoped
class Background {

  private final TokenWork tokens;
  private final SessionWork sessions;
  private final AuditWork audit;

  Background(TokenWork tokens, SessionWork sessions, AuditWork audit) {
    this.tokens = tokens;
    this.sessions = sessions;
    this.audit = audit;
  }

  void start() {
    audit.start();
    tokens.start();
    sessions.start();
  }

  /** The audit last: it writes what the others still say. */
  void stop() {
    tokens.stop();
    audit.stop();
  }
}
