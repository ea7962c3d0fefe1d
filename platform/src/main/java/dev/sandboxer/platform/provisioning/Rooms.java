package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.host.Fleet;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.routing.Choice;
import dev.sandboxer.platform.routing.Plan;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxSpec;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Takes room on hosts. What a plan knew of their load is a moment old; here it is counted, under
 * the lock of the host's row, so that creates at the same time never overfill one.
 */
@ApplicationScoped
class Rooms {

  private static final String WITH_ROOM =
      "select host_with_room(:hosts, :sandbox, cast(:cpus as numeric), :memory)";

  private final Fleet fleet;

  Rooms(Fleet fleet) {
    this.fleet = fleet;
  }

  /**
   * The first candidate whose host has room.
   *
   * @param open the transaction in which the attempt is recorded
   * @return its index
   * @throws ProblemException NO_CANDIDATE, retryable, if all hosts are full by now
   */
  int first(Handle open, Plan plan, SandboxSpec spec, SandboxId sandboxId) {
    List<Choice> choices = plan.candidates();
    int first = 0;
    if (choices.stream().anyMatch(Choice::limited)) {
      List<String> hosts = choices.stream().map(choice -> choice.host().id()).toList();
      first = withRoom(open, hosts, spec, sandboxId);
      if (first < 0) {
        throw new ProblemException(
            Problem.noCandidateNow(
                    "no host has room for %s now: %s are full; try again, or delete a sandbox"
                        .formatted(spec.profileId(), hosts))
                .with("profile_key", "resources"));
      }
    }
    Resources resources = spec.resources();
    fleet.planned(choices.get(first).host().id(), resources.cpus(), resources.memoryBytes());
    return first;
  }

  /** Below 0 if none has room. Hosts without limits have. */
  int withRoom(Handle open, List<String> hosts, SandboxSpec spec, SandboxId sandboxId) {
    @Nullable Integer found =
        open.createQuery(WITH_ROOM)
            .bindArray("hosts", String.class, hosts)
            .bind("sandbox", sandboxId)
            .bind("cpus", spec.resources().cpus())
            .bind("memory", spec.resources().memoryBytes())
            .mapTo(Integer.class)
            .findOne()
            .orElse(null);
    return found == null ? -1 : found - 1;
  }
}
