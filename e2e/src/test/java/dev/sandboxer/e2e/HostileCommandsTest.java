package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/**
 * Whatever a command does, the sandbox goes on with the same boxd, and the next command runs. The
 * property {@code hostile.rounds} says how often each is tried.
 */
@OnEveryBackend
class HostileCommandsTest {

  private static final int ROUNDS = Integer.getInteger("hostile.rounds", 1);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Programs in Python, each ended by the time limit where it does not end itself. */
  private static final Map<String, String> BOMBS =
      Map.ofEntries(
          Map.entry(
              "forks",
              """
              import os
              while True:
                  try: os.fork()
                  except OSError: pass
              """),
          Map.entry(
              "forks that leave their session",
              """
              import os
              while True:
                  try:
                      if os.fork() == 0: os.setsid()
                  except OSError: pass
              """),
          Map.entry(
              "threads",
              """
              import threading, time
              while True:
                  try: threading.Thread(target=time.sleep, args=(60,)).start()
                  except RuntimeError: pass
              """),
          Map.entry("memory of one process", "x = b'x' * (8 << 30)"),
          Map.entry(
              "memory of hundreds",
              """
              import os, time
              for i in range(100):
                  try:
                      if os.fork() == 0:
                          x = b'x' * (8 << 20)
                          time.sleep(60)
                  except OSError: pass
              time.sleep(60)
              """),
          Map.entry(
              "descriptors",
              """
              import os, socket, time
              for i in range(6): os.fork()
              held = []
              while True:
                  try:
                      held += os.pipe(); held.append(socket.socket()); held.append(os.open('/', 0))
                  except OSError: time.sleep(0.1)
              """),
          Map.entry(
              "inodes",
              """
              import os
              for folder in '/workspace', '/tmp', '/dev/shm':
                  made = []
                  try:
                      while True:
                          made.append(f'{folder}/f{len(made)}'); open(made[-1], 'x').close()
                  except OSError: pass
                  for name in made[:-1]: os.remove(name)
              """),
          Map.entry(
              "disk",
              """
              import os
              for folder in '/workspace', '/tmp':
                  try:
                      with open(folder + '/big', 'wb') as f:
                          while True: f.write(bytes(1 << 20))
                  except OSError: pass
              for folder in '/workspace', '/tmp': os.remove(folder + '/big')
              """),
          Map.entry(
              "signals",
              """
              import ctypes, os
              libc = ctypes.CDLL(None)
              for number in range(1, 65):
                  for target in range(1, os.getpid()):
                      for call in 62, 200, 129: libc.syscall(call, target, number, bytes(128))
                      for call in 234, 297: libc.syscall(call, 1, target, number, bytes(128))
                  folder = os.open('/proc/1', 0)
                  libc.syscall(424, folder, number, 0, 0)
                  os.close(folder)
              """));

  @Parameter private Backend backend;

  private Platform platform;
  private Api api;
  private String sandbox;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
    api = platform.api();
  }

  @BeforeEach
  void makeSandbox() {
    sandbox = api.ready(backend.profileWithPython()).path("id").asText();
  }

  @AfterEach
  void destroy() {
    api.destroyAll();
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @Test
  void theSandboxGoesOnWhateverACommandDoes() {
    String boxd = boxd();
    assertThat(inside().upload("kept", new byte[] {1}).status()).isEqualTo(201);
    for (int round = 0; round < ROUNDS; round++) {
      extendTtl();
      BOMBS.forEach(
          (what, bomb) -> {
            assertThat(explode(bomb).status()).as(what).isEqualTo(200);
            assertThat(boxd()).as("boxd after " + what).isEqualTo(boxd);
          });
    }
    assertThat(inside().download("kept").status()).isEqualTo(200);
  }

  @Test
  void theSandboxGoesOnWhenTwoCommandsAreHostileAtOnce() throws InterruptedException {
    String boxd = boxd();
    List<String> bombs = List.copyOf(BOMBS.values());
    for (int round = 0; round < ROUNDS; round++) {
      extendTtl();
      for (int first = 0; first < bombs.size(); first++) {
        String one = bombs.get(first);
        String other = bombs.get((first + 1 + round) % bombs.size());
        List<Integer> answers = new CopyOnWriteArrayList<>();
        Thread beside = Thread.ofVirtual().start(() -> answers.add(explode(one).status()));
        answers.add(explode(other).status());
        beside.join();
        assertThat(answers).as(one + other).hasSize(2).isSubsetOf(200, 429);
        assertThat(boxd()).as("boxd after " + one + other).isEqualTo(boxd);
      }
    }
  }

  @Test
  void theCallerReadsThatResourcesPidsIsUsedUp() {
    String full =
        """
        import os, signal
        try:
            while os.fork(): pass
        except OSError: print("full", flush=True)
        signal.pause()
        """;
    Api.Reply started =
        inside().post("/processes", json(Map.of("process_id", "full", "command", python(full))));
    assertThat(started.status()).as(started.toString()).isEqualTo(201);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> inside().get("/processes/full/output").text().contains("full"));
    Api.Reply refused = inside().exec("true");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.code()).isEqualTo("QUOTA_EXCEEDED");
    assertThat(refused.text()).contains("resources.pids = 128 is used up");
    assertThat(inside().get("/metrics").json().path("processes").asInt()).isBetween(128, 144);
    assertThat(inside().get("/metrics").json().path("processes_limit").asInt()).isEqualTo(128);
    assertThat(inside().delete("/processes/full").status()).isLessThan(300);
    assertThat(inside().exec("true").status()).isEqualTo(200);
  }

  /** Many rounds take longer than the profile's time to live. */
  private void extendTtl() {
    Api.Reply extended =
        api.post("/v1/sandboxes/" + sandbox + "/extend-ttl", "{\"ttl_seconds\": 1800}");
    assertThat(extended.status()).as(extended.toString()).isEqualTo(200);
  }

  private Api.Reply explode(String bomb) {
    return inside().post("/exec", json(Map.of("command", python(bomb), "timeout_ms", 1500)));
  }

  private static List<String> python(String program) {
    return List.of("python3", "-c", program);
  }

  private static String json(Map<String, ?> body) {
    return JSON.valueToTree(body).toString();
  }

  /** When the sandbox's first process started: another boxd has another time. */
  private String boxd() {
    Api.Reply reply = inside().exec("sh", "-c", "cut -d' ' -f22 /proc/1/stat");
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    assertThat(reply.json().path("exit_code").asInt(-1)).as(reply.toString()).isZero();
    assertThat(api.get("/v1/sandboxes/" + sandbox).field("/state")).isIn("ready", "active");
    return reply.field("/stdout");
  }

  private Api.Dataplane inside() {
    return api.access(sandbox);
  }
}
