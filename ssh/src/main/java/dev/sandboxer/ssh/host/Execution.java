package dev.sandboxer.ssh.host;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sandboxer.spi.Call;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.SshException.Kind;
import dev.sandboxer.ssh.SshTarget;
import dev.sandboxer.ssh.host.ExecResult.ConnectionLost;
import dev.sandboxer.ssh.host.ExecResult.End;
import dev.sandboxer.ssh.host.ExecResult.Exited;
import dev.sandboxer.ssh.host.ExecResult.Signalled;
import dev.sandboxer.ssh.wire.CommandChannel;
import dev.sandboxer.ssh.wire.Waits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A command that runs, and its three streams, each on a thread of its own. */
final class Execution {

  private static final int COPY = 32 * 1024;
  private static final int MAX_NOISE = 64 * 1024;

  private final SshTarget target;
  private final SshCommand command;
  private final Pattern marker;
  private final LongConsumer killer;
  private final CommandChannel channel;
  private final Tail stdout;
  private final Tail stderr;
  private final ByteArrayOutputStream noise = new ByteArrayOutputStream();
  private final CountDownLatch began = new CountDownLatch(1);
  private volatile OptionalLong process = OptionalLong.empty();
  private volatile @Nullable SshException own;

  /**
   * For a command that was just started.
   *
   * @param killer ends a process and those that it started, in its own time
   */
  Execution(
      SshTarget target,
      SshCommand command,
      String marker,
      CommandChannel channel,
      LongConsumer killer) {
    this.target = target;
    this.command = command;
    this.marker = Pattern.compile(Pattern.quote(marker) + " ([0-9]{1,18})\n");
    this.killer = killer;
    this.channel = channel;
    this.stdout = new Tail(command.keep());
    this.stderr = new Tail(command.keep());
  }

  ExecResult run(Call call) throws SshException {
    Thread out =
        thread("stdout", () -> forward(channel.stdout(), command.stdout().orElse(stdout), noise));
    Thread err =
        thread(
            "stderr",
            () ->
                forward(
                    channel.stderr(),
                    command.stderr().orElse(stderr),
                    new ByteArrayOutputStream()));
    Thread in = thread("stdin", this::feed);
    call.onCancel(channel::cancel);
    boolean over = false;
    try {
      boolean whole = channel.await(call);
      over = own == null;
      join(out);
      join(err);
      if (own != null) {
        throw own;
      }
      return result(whole);
    } finally {
      if (!over) {
        // sshd sends signals for an ordinary user only.
        process.ifPresent(killer);
      }
      channel.cancel();
      in.interrupt();
      out.interrupt();
      err.interrupt();
    }
  }

  private ExecResult result(boolean whole) throws SshException {
    if (!whole) {
      return new ExecResult(new ConnectionLost(), stdout.output(), stderr.output());
    }
    if (process.isEmpty()) {
      throw new SshException(
          Kind.SHELL,
          "the login shell of %s ended before it ran the command; it wrote: '%s'"
              .formatted(target.name(), noiseText()));
    }
    End end =
        channel.signal().isPresent()
            ? new Signalled(channel.signal().get())
            : new Exited(channel.exit().orElse(-1));
    return new ExecResult(end, stdout.output(), stderr.output());
  }

  private String noiseText() {
    synchronized (noise) {
      String text = noise.toString(UTF_8).replaceAll("\\p{Cntrl}+", " ").strip();
      return text.length() > 200 ? text.substring(0, 200) + "..." : text;
    }
  }

  /** Nothing goes in before the marker came out: a start-up file could read it. */
  private void feed() {
    try {
      began.await();
      if (command.stdin().isPresent()) {
        try (InputStream source = command.stdin().get()) {
          copyIn(source);
        }
      }
      channel.endStdin();
    } catch (IOException e) {
      // The command takes no more, which its end explains.
    } catch (InterruptedException e) {
      // The command has ended.
    }
  }

  private void copyIn(InputStream source) throws IOException {
    byte[] buffer = new byte[COPY];
    while (true) {
      int count;
      try {
        count = source.read(buffer);
      } catch (IOException e) {
        fail(new SshException(Kind.FILE, "what was to be sent could not be read: " + e, e));
        return;
      }
      if (count < 0) {
        return;
      }
      channel.writeStdin(buffer, count);
    }
  }

  private void forward(InputStream source, OutputStream sink, ByteArrayOutputStream before) {
    try {
      boolean seen = false;
      byte[] buffer = new byte[COPY];
      for (int count = source.read(buffer); count >= 0; count = source.read(buffer)) {
        if (seen) {
          deliver(sink, buffer, 0, count);
        } else {
          seen = skip(before, buffer, count, sink);
        }
      }
    } catch (IOException e) {
      // The connection is lost, or the command was cancelled: its end says which.
    } finally {
      began.countDown();
    }
  }

  /** Passes over what the start-up files wrote. */
  private boolean skip(ByteArrayOutputStream before, byte[] bytes, int count, OutputStream sink)
      throws IOException {
    byte[] all;
    synchronized (noise) {
      before.write(bytes, 0, count);
      all = before.toByteArray();
    }
    Matcher found = marker.matcher(new String(all, ISO_8859_1));
    if (!found.find()) {
      if (all.length > MAX_NOISE) {
        fail(
            new SshException(
                Kind.SHELL,
                "the start-up files of %s write more than %d KiB before a command begins"
                    .formatted(target.name(), MAX_NOISE / 1024)));
      }
      return false;
    }
    process = OptionalLong.of(Long.parseLong(found.group(1)));
    began.countDown();
    deliver(sink, all, found.end(), all.length - found.end());
    return true;
  }

  private void deliver(OutputStream sink, byte[] bytes, int offset, int length) throws IOException {
    try {
      sink.write(bytes, offset, length);
    } catch (IOException e) {
      fail(new SshException(Kind.FILE, "what was received could not be written: " + e, e));
      throw e;
    }
  }

  private void fail(SshException e) {
    own = e;
    channel.cancel();
  }

  private static Thread thread(String name, Runnable work) {
    return Thread.ofVirtual().name("ssh-" + name).start(work);
  }

  private static void join(Thread thread) throws SshException {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw Waits.interrupted(e);
    }
  }
}
