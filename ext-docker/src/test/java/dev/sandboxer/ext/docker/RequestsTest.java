package dev.sandboxer.ext.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.dockerjava.api.model.Info;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import org.junit.jupiter.api.Test;

class RequestsTest {

  @Test
  void aLimitThatIsMissingIsToldByTheProfilesKeys() {
    EngineFacts facts =
        EngineFacts.UNKNOWN.with(new Info().withMemoryLimit(false), SandboxRequests.LOCAL);
    assertThatThrownBy(() -> Requests.notEnforced(SandboxRequests.spec("debian:13"), facts))
        .isInstanceOfSatisfying(
            ExtensionException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNSUPPORTED))
        .hasMessageContaining("cannot enforce resources.cpus, resources.memory: ")
        .hasMessageContaining("'best_effort: [cpus, memory]' in the profile accepts that");
  }
}
