package dev.sandboxer.platform.api;

import dev.sandboxer.platform.audit.AuditEntry;
import jakarta.enterprise.context.RequestScoped;
import org.jspecify.annotations.Nullable;

/**
 * What the present request does, for the audit. Said by the resource as soon as it knows, so that
 * what fails later is in the audit as well.
 */
@RequestScoped
public class AuditedAction {

  private @Nullable String action;
  private @Nullable String userId;
  private @Nullable String scopeType;
  private @Nullable String scopeId;
  private @Nullable String sessionId;
  private @Nullable String sandboxId;
  private boolean quiet;
  private boolean token;
  private String result = AuditEntry.OK;

  /**
   * Names it; from now on the request is in the audit.
   *
   * @param name such as {@code session.ensure}
   * @return this
   */
  public AuditedAction is(String name) {
    action = name;
    return this;
  }

  /**
   * Names one of which only failures are worth an entry.
   *
   * @param name such as {@code session.heartbeat}
   * @return this
   */
  public AuditedAction isIfRefused(String name) {
    quiet = true;
    return is(name);
  }

  /**
   * Names one whose reply holds a token: it is in the audit before the reply goes out.
   *
   * @param name such as {@code session.refresh}
   * @return this
   */
  public AuditedAction givesToken(String name) {
    token = true;
    return is(name);
  }

  /**
   * On whose behalf.
   *
   * @param user of the request
   * @return this
   */
  public AuditedAction user(String user) {
    userId = user;
    return this;
  }

  /**
   * The scope that it is about.
   *
   * @param type such as {@code thread}
   * @param id the tenant's name for it
   * @return this
   */
  public AuditedAction scope(String type, String id) {
    scopeType = type;
    scopeId = id;
    return this;
  }

  /**
   * The session that it is about.
   *
   * @param id as in the request or the reply
   * @return this
   */
  public AuditedAction session(@Nullable String id) {
    sessionId = id;
    return this;
  }

  /**
   * The sandbox that it is about.
   *
   * @param id {@code sb_...}
   * @return this
   */
  public AuditedAction sandbox(@Nullable String id) {
    sandboxId = id;
    return this;
  }

  void failed(String code) {
    result = code;
  }

  boolean recorded() {
    return action != null && !(quiet && result.equals(AuditEntry.OK));
  }

  boolean mustBeWritten() {
    return token && result.equals(AuditEntry.OK);
  }

  String action(String otherwise) {
    return action == null ? otherwise : action;
  }

  @Nullable String userId() {
    return userId;
  }

  @Nullable String scopeType() {
    return scopeType;
  }

  @Nullable String scopeId() {
    return scopeId;
  }

  @Nullable String sessionId() {
    return sessionId;
  }

  @Nullable String sandboxId() {
    return sandboxId;
  }

  String result() {
    return result;
  }
}
