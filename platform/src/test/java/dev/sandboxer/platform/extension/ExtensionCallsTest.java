package dev.sandboxer.platform.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.SandboxSpec;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExtensionCallsTest {

  private static final CallLimits LONG = CallLimits.of(Duration.ofMinutes(5));
  private static final String SAMPLE = "ext.sample";
  private static final HostRef HERE = new HostRef("here", HostRef.LOCAL);

  @TempDir static Path folder;
  private static ExtensionRegistry registry;

  private final AtomicLong nanos = new AtomicLong();
  private final Breakers breakers = new Breakers(nanos::get);
  private final ExtensionCalls calls =
      new ExtensionCalls(registry, breakers, new HostCredentials(_ -> null));

  @BeforeAll
  static void load() throws IOException {
    new SampleJar().into(folder.resolve("home/extensions/sample"));
    registry = Registries.over(folder, Map.of());
  }

  @Test
  void givesBackTheResultOfAVirtualThread() throws ExtensionException {
    boolean virtual =
        calls.call(
            SAMPLE, HERE, "test", LONG, (extension, call) -> Thread.currentThread().isVirtual());
    assertThat(virtual).isTrue();
  }

  @Test
  void anUnknownExtensionLeavesNothing() {
    assertFailure(
        () -> calls.call("ext.none", HERE, "test", LONG, (extension, call) -> 1),
        ErrorCode.UNAVAILABLE,
        Outcome.NOTHING_CREATED,
        "ext.none is not loaded");
  }

  @Test
  void aTypedFailurePassesUnchanged() {
    ExtensionException thrown = new ExtensionException(ErrorCode.OOM, "no memory");
    assertThatThrownBy(
            () ->
                calls.call(
                    SAMPLE,
                    HERE,
                    "test",
                    LONG,
                    (extension, call) -> {
                      throw thrown;
                    }))
        .isSameAs(thrown);
  }

  @Test
  void anythingElseIsInternalAndUnknown() {
    assertFailure(
        () -> calls.provision(SAMPLE, request("defect"), LONG, step -> {}).await(),
        ErrorCode.INTERNAL,
        Outcome.UNKNOWN,
        "a defect");
    assertFailure(
        () ->
            calls.call(
                SAMPLE,
                HERE,
                "test",
                LONG,
                (extension, call) -> {
                  throw new NoClassDefFoundError("gone");
                }),
        ErrorCode.INTERNAL,
        Outcome.UNKNOWN,
        "gone");
  }

  @Test
  void anOverrunCallIsAbandonedInterruptedAndToldSo() throws InterruptedException {
    CountDownLatch interrupted = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    CallLimits brief = new CallLimits(Duration.ofMillis(20), Duration.ofMinutes(5));
    assertFailure(
        () ->
            calls.call(
                SAMPLE,
                HERE,
                "inspect",
                brief,
                (extension, call) -> {
                  call.onCancel(told::countDown);
                  return blockUntilInterrupted(interrupted);
                }),
        ErrorCode.TIMEOUT,
        Outcome.UNKNOWN,
        "ext.sample inspect was abandoned");
    told.await();
    interrupted.await();
  }

  @Test
  void progressResetsTheIdleDeadlineAndIsPassedOn() throws ExtensionException {
    ConcurrentLinkedQueue<String> steps = new ConcurrentLinkedQueue<>();
    CallLimits limits = new CallLimits(Duration.ofSeconds(30), Duration.ofMinutes(5));
    boolean grew =
        calls
            .start(
                SAMPLE,
                HERE,
                "test",
                limits,
                step -> steps.add(step.step()),
                (extension, call) -> {
                  waitUntilBelow(call, limits.idle().minusMillis(50));
                  Duration before = call.remaining();
                  call.progress(Progress.of("image_pull"));
                  return call.remaining().compareTo(before) > 0;
                })
            .await();
    assertThat(grew).isTrue();
    assertThat(steps).containsExactly("image_pull");
  }

  @Test
  void noProgressPassesTheHardCap() {
    CallLimits limits = new CallLimits(Duration.ofMinutes(5), Duration.ofMillis(20));
    AtomicBoolean stop = new AtomicBoolean();
    assertFailure(
        () ->
            calls.call(
                SAMPLE,
                HERE,
                "test",
                limits,
                (extension, call) -> {
                  while (!call.cancelled() && !stop.get()) {
                    call.progress(Progress.of("busy"));
                  }
                  return stop.get();
                }),
        ErrorCode.TIMEOUT,
        Outcome.UNKNOWN,
        "was abandoned");
    stop.set(true);
  }

  @Test
  void aListenerThatFailsDoesNotFailTheCall() throws ExtensionException {
    int result =
        calls
            .start(
                SAMPLE,
                HERE,
                "test",
                LONG,
                step -> {
                  throw new IllegalStateException("database away");
                },
                (extension, call) -> {
                  call.progress(Progress.of("step"));
                  return 7;
                })
            .await();
    assertThat(result).isEqualTo(7);
  }

  @Test
  void cancellingEndsTheWaitAndRunsLateActionsToo() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    CountDownLatch late = new CountDownLatch(1);
    RunningCall<Integer> running =
        calls.start(
            SAMPLE,
            HERE,
            "test",
            LONG,
            step -> {},
            (extension, call) -> blockUntilInterrupted(interrupted));
    running.cancel();
    running.cancel();
    assertFailure(running::await, ErrorCode.TIMEOUT, Outcome.UNKNOWN, "was cancelled");
    running.onCancel(late::countDown);
    late.await();
    interrupted.await();
  }

  @Test
  void theBreakerOpensForProvisionOfOneHostAlone() throws ExtensionException {
    failFiveTimes();
    assertThat(breakers.states(SAMPLE))
        .containsExactlyEntriesOf(Map.of("down", Breaker.State.OPEN));
    assertFailure(
        () -> calls.provision(SAMPLE, request("down"), LONG, step -> {}),
        ErrorCode.UNAVAILABLE,
        Outcome.NOTHING_CREATED,
        "left alone");
    assertThat(provision("other")).isNotNull();
    int any = calls.call(SAMPLE, HERE, "teardown", LONG, (extension, call) -> 1);
    assertThat(any).isEqualTo(1);
  }

  @Test
  void theBreakerTriesOneCallAfterItsRest() {
    failFiveTimes();
    nanos.addAndGet(Duration.ofSeconds(31).toNanos());
    assertThat(breakers.states(SAMPLE)).containsValue(Breaker.State.HALF_OPEN);
    assertFailure(
        () -> provision("down"), ErrorCode.UNAVAILABLE, Outcome.NOTHING_CREATED, "it is down");
    assertThat(breakers.states(SAMPLE)).containsValue(Breaker.State.OPEN);
  }

  @Test
  void halfOpenLetsOnePassAndASuccessCloses() {
    Breaker breaker = breakers.of(SAMPLE, "host");
    for (int i = 0; i < 5; i++) {
      breaker.failed();
    }
    nanos.addAndGet(Duration.ofSeconds(31).toNanos());
    assertThat(breaker.tryPass()).isTrue();
    assertThat(breaker.tryPass()).isFalse();
    breaker.succeeded();
    assertThat(breaker.state()).isEqualTo(Breaker.State.CLOSED);
    assertThat(breaker.tryPass()).isTrue();
  }

  @Test
  void aFullBackendIsNotInTrouble() {
    for (int i = 0; i < 6; i++) {
      assertFailure(
          () -> provision("full"), ErrorCode.CAPACITY, Outcome.NOTHING_CREATED, "it is full");
    }
    assertThat(breakers.states(SAMPLE)).containsValue(Breaker.State.CLOSED);
  }

  private void failFiveTimes() {
    for (int i = 0; i < 5; i++) {
      assertFailure(
          () -> provision("down"), ErrorCode.UNAVAILABLE, Outcome.NOTHING_CREATED, "it is down");
    }
  }

  private SandboxHandle provision(String host) throws ExtensionException {
    return calls.provision(SAMPLE, request(host), LONG, step -> {}).await();
  }

  private static int blockUntilInterrupted(CountDownLatch interrupted) {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      interrupted.countDown();
    }
    return 0;
  }

  private static void waitUntilBelow(Call call, Duration limit) {
    await().until(() -> call.remaining().compareTo(limit) < 0);
  }

  private static void assertFailure(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable body,
      ErrorCode code,
      Outcome outcome,
      String message) {
    assertThatThrownBy(body)
        .isInstanceOfSatisfying(
            ExtensionException.class,
            e -> {
              assertThat(e.code()).isEqualTo(code);
              assertThat(e.outcome()).isEqualTo(outcome);
              assertThat(e).hasMessageContaining(message);
            });
  }

  private static ProvisionRequest request(String host) {
    SandboxSpec spec =
        SandboxSpec.builder(
                "profile.test",
                1,
                IsolationLevel.PROCESS,
                new Resources(BigDecimal.ONE, 1, 1, 1, 1, 1),
                Duration.ofHours(8))
            .build();
    return ProvisionRequest.of(
        new SandboxIdentity(Registries.INSTALLATION, "abcdefghij0123456789", 1, 1),
        spec,
        new HostRef(host, HostRef.LOCAL),
        new Daemon((os, arch) -> Path.of("/boxd"), List.of("serve"), new byte[0]));
  }
}
