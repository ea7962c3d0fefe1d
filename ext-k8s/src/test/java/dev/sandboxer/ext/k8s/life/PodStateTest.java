package dev.sandboxer.ext.k8s.life;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.ext.k8s.life.PodState.Problem;
import dev.sandboxer.spi.ErrorCode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statuses that a cluster of one node does not come to, as API servers write them. */
class PodStateTest {

  private static PodState of(String status) {
    return new PodState(
        Serialization.unmarshal(
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nstatus: " + status, Pod.class));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {phase: Failed, reason: Evicted, message: 'The node was low on resource: memory.'} | CAPACITY
          {phase: Failed, reason: Evicted, message: 'Pod ephemeral local storage usage exceeds the total limit of containers 96Mi.'} | CRASH
          {phase: Failed, reason: Preempting, message: 'Preempted in order to admit critical pod'} | CAPACITY
          {phase: Failed, reason: OutOfcpu, message: 'Node did not have enough resource'} | CAPACITY
          {phase: Failed, reason: NodeLost, message: 'Node x which was running pod p is unresponsive'} | UNAVAILABLE
          {phase: Failed, reason: DeadlineExceeded, message: 'Pod was active on the node longer'} | CRASH
          {phase: Failed, conditions: [{type: DisruptionTarget, status: 'True', reason: PreemptionByScheduler, message: 'default-scheduler: preempting'}]} | CAPACITY
          {phase: Failed, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 1, reason: Error, message: 'exec format error'}}}]} | UNAVAILABLE
          {phase: Running, containerStatuses: [{name: s, state: {terminated: {exitCode: 137, reason: OOMKilled}}}]} | OOM
          {phase: Failed, containerStatuses: [{name: s, state: {terminated: {exitCode: 128, reason: StartError, message: 'exec: no such file'}}}]} | CRASH
          """)
  void whatHasEnded(String status, ErrorCode code) {
    PodState state = of(status);
    assertThat(state.end()).map(Problem::code).contains(code);
    assertThat(state.runs()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ErrImagePull | 'manifest for x:1 not found: manifest unknown' | IMAGE_PULL | 0
          ImagePullBackOff | 'Back-off pulling image: no match for platform in manifest' | IMAGE_PULL | 0
          ErrImagePull | 'unexpected status from HEAD request: 503 Service Unavailable' | IMAGE_PULL | 30
          ImagePullBackOff | 'Back-off pulling image' | IMAGE_PULL | 30
          InvalidImageName | 'could not parse reference' | IMAGE_PULL | 0
          CreateContainerConfigError | 'secret "s" not found' | VALIDATION | 0
          CreateContainerError | 'context deadline exceeded' | CRASH | 15
          CrashLoopBackOff | 'back-off restarting' | CRASH | 0
          """)
  void whatCannotStart(String reason, String message, ErrorCode code, long grace) {
    for (String containers : new String[] {"initContainerStatuses", "containerStatuses"}) {
      PodState state =
          of(
              "{phase: Pending, %s: [{name: c, image: 'x:1', state: {waiting: {reason: %s, message: '%s'}}}]}"
                  .formatted(containers, reason, message));
      assertThat(state.end()).isEmpty();
      assertThat(state.obstacle())
          .hasValueSatisfying(
              problem -> {
                assertThat(problem.code()).isEqualTo(code);
                assertThat(problem.grace()).isEqualTo(Duration.ofSeconds(grace));
                assertThat(problem.text()).contains("image x:1", reason, message);
              });
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {} | waiting for a node
          {phase: Pending, conditions: [{type: PodScheduled, status: 'True'}]} | scheduled
          {phase: Pending, initContainerStatuses: [{name: i, state: {running: {}}}], containerStatuses: [{name: s, state: {waiting: {reason: PodInitializing}}}]} | installing boxd
          {phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 0}}}], containerStatuses: [{name: s, state: {waiting: {reason: ContainerCreating}}}]} | starting: ContainerCreating
          {phase: Running, containerStatuses: [{name: s, state: {running: {}}}]} | running
          """)
  void whatIsOnItsWay(String status, String step) {
    PodState state = of(status);
    assertThat(state.end()).isEmpty();
    assertThat(state.obstacle()).isEmpty();
    assertThat(state.step()).isEqualTo(step);
    assertThat(state.runs()).isEqualTo(step.equals("running"));
  }
}
