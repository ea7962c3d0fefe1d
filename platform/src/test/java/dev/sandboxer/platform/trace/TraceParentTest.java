package dev.sandboxer.platform.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a caller sends names a parent, or nothing. */
class TraceParentTest {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00-" + TRACE + "-" + SPAN + "-01",
        "00-" + TRACE + "-" + SPAN + "-00",
        "cc-" + TRACE + "-" + SPAN + "-01-what-the-future-may-be",
      })
  void readsAParent(String header) {
    assertThat(TraceParent.parse(header)).contains(new TraceParent(TRACE, SPAN));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        "00-" + TRACE + "-" + SPAN,
        "00-" + TRACE + "-" + SPAN + "-01-more",
        "00-" + TRACE + "-" + SPAN + "-01 ",
        "ff-" + TRACE + "-" + SPAN + "-01",
        "00-00000000000000000000000000000000-" + SPAN + "-01",
        "00-" + TRACE + "-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-" + SPAN + "-01",
        "00-" + TRACE + "-" + SPAN + "-0\n",
        "cc-" + TRACE + "-" + SPAN + "-01.more",
      })
  void anythingElseIsNone(String header) {
    assertThat(TraceParent.parse(header)).isEmpty();
  }

  @Test
  void writesWhatItReads() {
    TraceParent parent = new TraceParent(TRACE, SPAN);
    assertThat(TraceParent.parse(parent.header())).contains(parent);
  }
}
