package dev.sandboxer.platform.problem;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorCodeTest {

  @Test
  void no_code_and_no_title_is_there_twice() {
    assertThat(Arrays.stream(ErrorCode.values()).map(code -> code.name().replace("_", "")))
        .doesNotHaveDuplicates();
    assertThat(Arrays.stream(ErrorCode.values()).map(ErrorCode::title)).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @EnumSource(dev.sandboxer.spi.ErrorCode.class)
  void each_failure_of_a_backend_has_a_code(dev.sandboxer.spi.ErrorCode failure) {
    assertThat(ErrorCode.of(failure).name()).isEqualTo(failure.name());
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void status_fits_the_category(ErrorCode code) {
    boolean callersTurn = code.category() == Category.REQUEST || code.category() == Category.ACCESS;
    if (callersTurn) {
      assertThat(code.status()).isBetween(400, 499);
      assertThat(code.retryable()).isFalse();
    }
    if (code.category() == Category.PLATFORM) {
      assertThat(code.status()).isBetween(500, 599);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "VALIDATION,400",
    "UNAUTHENTICATED,401",
    "FORBIDDEN,403",
    "CAPABILITY_DENIED,403",
    "NOT_FOUND,404",
    "SESSION_NOT_FOUND,404",
    "BINDING_NOT_FOUND,404",
    "INVALID_STATE,409",
    "NO_DATAPLANE,409",
    "GENERATION_CONFLICT,412",
    "SESSION_CONFLICT,409",
    "BINDING_CONFLICT,409",
    "SESSION_EXPIRED,410",
    "TOO_LARGE,413",
    "METHOD_NOT_ALLOWED,405",
    "UNSUPPORTED_MEDIA_TYPE,415",
    "PRECONDITION_REQUIRED,428",
    "INTERNAL,500",
    "SANDBOX_UNREACHABLE,502",
    "DATABASE_UNAVAILABLE,503",
    "STORAGE_FULL,507",
    "IDEMPOTENCY_KEY_REUSED,422",
    "NO_CANDIDATE,422",
    "SANDBOX_STARTING,423",
    "RATE_LIMITED,429",
    "QUOTA_EXCEEDED,429",
    "PROVIDER_UNAVAILABLE,503",
    "BACKEND_UNAVAILABLE,503",
    "AUTHORIZATION,502",
    "CAPACITY,503",
    "QUOTA,503",
    "UNAVAILABLE,503",
    "IMAGE_PULL,502",
    "TIMEOUT,504",
    "CRASH,502",
    "OOM,502",
    "UNSUPPORTED,422"
  })
  void status_is_the_published_one(ErrorCode code, int status) {
    assertThat(code.status()).isEqualTo(status);
  }
}
