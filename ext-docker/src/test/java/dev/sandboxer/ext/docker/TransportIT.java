package dev.sandboxer.ext.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Frame;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The end of stdin reaches a program behind the Engine: stock transports keep it to themselves. */
class TransportIT {

  @Test
  void anExecOfCatEnds() throws Exception {
    try (TestEngine engine = new TestEngine()) {
      String container = engine.stranger("sandboxer-test-" + System.nanoTime(), java.util.Map.of());
      engine.docker().startContainerCmd(container).exec();
      String exec =
          engine
              .docker()
              .execCreateCmd(container)
              .withAttachStdin(true)
              .withAttachStdout(true)
              .withCmd("cat")
              .exec()
              .getId();
      Collected output = new Collected();
      engine
          .docker()
          .execStartCmd(exec)
          .withStdIn(new ByteArrayInputStream("to the end".getBytes(StandardCharsets.UTF_8)))
          .exec(output);
      assertThat(output.awaitCompletion(60, TimeUnit.SECONDS)).isTrue();
      assertThat(output.bytes.toString(StandardCharsets.UTF_8)).isEqualTo("to the end");
      assertThat(engine.docker().inspectExecCmd(exec).exec().getExitCodeLong()).isZero();
    }
  }

  @Test
  void anAttachedCatEnds() throws Exception {
    try (TestEngine engine = new TestEngine()) {
      String container = engine.reader("sandboxer-test-" + System.nanoTime());
      Collected output = new Collected();
      engine
          .docker()
          .attachContainerCmd(container)
          .withStdIn(new ByteArrayInputStream("attached".getBytes(StandardCharsets.UTF_8)))
          .withStdOut(true)
          .withFollowStream(true)
          .exec(output);
      assertThat(output.awaitStarted(60, TimeUnit.SECONDS)).isTrue();
      engine.docker().startContainerCmd(container).exec();
      assertThat(output.awaitCompletion(60, TimeUnit.SECONDS)).isTrue();
      assertThat(output.bytes.toString(StandardCharsets.UTF_8)).isEqualTo("attached");
    }
  }

  private static final class Collected extends ResultCallback.Adapter<Frame> {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Override
    public void onNext(Frame frame) {
      bytes.writeBytes(frame.getPayload());
    }
  }
}
