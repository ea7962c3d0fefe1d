package dev.sandboxer.platform.admission;

import dev.sandboxer.platform.id.SandboxId;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * The table {@code admitted_process}. A row is written before its process is started and taken away
 * once that is known to have ended, so that no more run than there are rows.
 */
@ApplicationScoped
public class AdmittedProcesses {

  private static final String UPSERT =
      """
      insert into admitted_process (sandbox_id, process_id, tenant_id, instance, workspace, command, cwd, env_names)
      values (:sandbox, :process, :tenantId, :instance, :id, :command, :cwd, :env)
      on conflict (sandbox_id, process_id) do update set command = :command, cwd = :cwd, env_names = :env, read_to = 0
      """;

  /** Else they would stay for ever where no grant ever makes somebody count. */
  private static final String OF_THE_GONE =
      """
      delete from admitted_process a using sandbox s
      where a.tenant_id = :tenantId and a.instance = :instance and a.workspace = :id
        and s.id = a.sandbox_id and s.destroyed_at is not null
      """;

  private static final String OTHERS =
      """
      select count(*) from admitted_process
      where tenant_id = :tenantId and instance = :instance and workspace = :id
        and not (sandbox_id = :sandbox and process_id = :process)
      """;

  private static final String ONE = " where sandbox_id = :sandbox and process_id = :process";

  private final Jdbi jdbi;
  private final Admissions admissions;

  AdmittedProcesses(Jdbi jdbi, Admissions admissions) {
    this.jdbi = jdbi;
    this.admissions = admissions;
  }

  /**
   * Lets a process start, in place of one with the same id.
   *
   * @param workspace whose
   * @param required whether a workspace without any grant may have nothing
   * @param process to start
   * @return false if as many run, as far as is known, as the grant permits
   * @throws AdmissionRefusedException if there is no grant in force, or it permits none
   */
  public boolean admit(Workspace workspace, boolean required, AdmittedProcess process) {
    return jdbi.inTransaction(
        open -> {
          Optional<AdmissionGrant> grant = admissions.lock(open, workspace, required);
          open.createUpdate(OF_THE_GONE).bindMethods(workspace).execute();
          if (grant.isPresent() && grant.get().maxManagedProcesses() == 0) {
            throw new AdmissionRefusedException("the grant permits no managed processes");
          }
          if (grant.isPresent()
              && others(open, workspace, process) >= grant.get().maxManagedProcesses()) {
            return false;
          }
          open.createUpdate(UPSERT)
              .bindMethods(workspace)
              .bind("sandbox", process.sandboxId())
              .bind("process", process.processId())
              .bindArray("command", String.class, process.command())
              .bind("cwd", process.cwd())
              .bindArray("env", String.class, process.envNames())
              .execute();
          return true;
        });
  }

  private static int others(Handle open, Workspace workspace, AdmittedProcess process) {
    return open.createQuery(OTHERS)
        .bindMethods(workspace)
        .bind("sandbox", process.sandboxId())
        .bind("process", process.processId())
        .mapTo(Integer.class)
        .one();
  }

  /**
   * Those of a workspace.
   *
   * @param workspace whose
   * @return some may have ended
   */
  public List<AdmittedProcess> of(Workspace workspace) {
    return jdbi.withHandle(
        open ->
            open.createQuery(
                    "select * from admitted_process where tenant_id = :tenantId and instance ="
                        + " :instance and workspace = :id order by sandbox_id, process_id")
                .bindMethods(workspace)
                .map((row, _) -> map(row))
                .list());
  }

  /**
   * Finds one.
   *
   * @param sandboxId where
   * @param processId the caller's name for it
   * @return empty if it was not started here, or has ended
   */
  public Optional<AdmittedProcess> find(SandboxId sandboxId, String processId) {
    return jdbi.withHandle(
        open ->
            open.createQuery("select * from admitted_process" + ONE)
                .bind("sandbox", sandboxId)
                .bind("process", processId)
                .map((row, _) -> map(row))
                .findOne());
  }

  /**
   * Forgets one that has ended.
   *
   * @param sandboxId where
   * @param processId the caller's name for it
   */
  public void ended(SandboxId sandboxId, String processId) {
    jdbi.useHandle(
        open ->
            open.createUpdate("delete from admitted_process" + ONE)
                .bind("sandbox", sandboxId)
                .bind("process", processId)
                .execute());
  }

  /**
   * Remembers how far its output was read.
   *
   * @param sandboxId where
   * @param processId the caller's name for it
   * @param readTo offset of the first byte that was not given to anybody
   */
  public void read(SandboxId sandboxId, String processId, long readTo) {
    jdbi.useHandle(
        open ->
            open.createUpdate("update admitted_process set read_to = :to" + ONE)
                .bind("to", readTo)
                .bind("sandbox", sandboxId)
                .bind("process", processId)
                .execute());
  }

  private static AdmittedProcess map(ResultSet row) throws SQLException {
    return new AdmittedProcess(
        new SandboxId(row.getString("sandbox_id")),
        row.getString("process_id"),
        texts(row.getArray("command")),
        row.getString("cwd"),
        texts(row.getArray("env_names")),
        row.getLong("read_to"));
  }

  private static List<String> texts(Array array) throws SQLException {
    return Arrays.stream((Object[]) array.getArray()).map(String.class::cast).toList();
  }
}
