package dev.sandboxer.ext.nsjail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.Limit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JailStateTest {
  private static final String STATE =
      """
      version=1
      installation=00000000-0000-4000-8000-000000000000
      name=a0000000000000000000-2-3
      label=abc
      phase=running
      created_at=2026-01-02T03:04:05.678Z
      boot=b
      socket=/run/a/s
      cgroups=/one\\n/two
      init=17:4711
      not_enforced=memory,cpus
      """;

  @Test
  void readsWhatTheLauncherWrites() {
    JailState state = JailState.of(Fields.parse(STATE));
    assertThat(state.identity().generation()).isEqualTo(2);
    assertThat(state.identity().attempt()).isEqualTo(3);
    assertThat(state.init()).isEqualTo(new HostProcess(17, "4711"));
    assertThat(state.cgroups()).containsExactly(Path.of("/one"), Path.of("/two"));
    assertThat(state.notEnforced()).containsExactlyInAnyOrder(Limit.MEMORY, Limit.CPUS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"name=", "installation=", "created_at=", "not_enforced="})
  void refusesAStateWithAWrongField(String field) {
    String wrong = STATE.replaceFirst("(?m)^" + field + ".*$", field + "../wrong");
    assertThatThrownBy(() -> JailState.of(Fields.parse(wrong)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "memory.oom_control, 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n', OOM",
    "memory.events, 'low 0\noom_kill 1\n', OOM",
    "memory.events, 'low 0\noom_kill 0\n', CRASH",
    "other, '', CRASH",
  })
  void tellsWhyAJailEnded(String file, String text, ErrorCode reason, @TempDir Path cgroup)
      throws IOException {
    Files.writeString(cgroup.resolve(file), text);
    String state = STATE.replace("/one\\n/two", cgroup.toString());
    assertThat(JailState.of(Fields.parse(state)).end().reason()).isEqualTo(reason);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ":", "x:1", "17", "-1:2", "1:0"})
  void takesNoProcessFromNonsense(String text) {
    assertThat(HostProcess.parse(text).alive()).isFalse();
  }

  @Test
  void aProcessIsItsNumberAndItsStart() throws IOException {
    long pid = ProcessHandle.current().pid();
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    String start = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[19];
    assertThat(new HostProcess(pid, start).alive()).isTrue();
    assertThat(new HostProcess(pid, "1").alive()).isFalse();
  }
}
