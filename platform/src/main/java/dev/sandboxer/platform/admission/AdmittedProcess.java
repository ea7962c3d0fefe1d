package dev.sandboxer.platform.admission;

import dev.sandboxer.platform.id.SandboxId;
import java.util.List;

/**
 * A managed process that was let start.
 *
 * @param sandboxId where
 * @param processId the caller's name for it
 * @param command program and arguments
 * @param cwd working directory
 * @param envNames names of its own variables
 * @param readTo up to where its standard output was given to who was attached
 */
public record AdmittedProcess(
    SandboxId sandboxId,
    String processId,
    List<String> command,
    String cwd,
    List<String> envNames,
    long readTo) {

  /** Keeps immutable copies. */
  public AdmittedProcess {
    command = List.copyOf(command);
    envNames = List.copyOf(envNames);
  }
}
