package dev.sandboxer.ext.e2b.cloud;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stream of Connect: frames of a flag, a length and JSON. It is dropped at the event that
 * is waited for; in E2B a process outlives the stream that started it.
 */
final class Frames implements BodySubscriber<byte[]> {

  private static final int HEAD = 5;
  private static final byte TRAILER = 2;
  private static final int MOST = 1 << 20;

  private final CompletableFuture<byte[]> result = new CompletableFuture<>();
  private final ByteArrayOutputStream unread = new ByteArrayOutputStream();
  private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
  private final Predicate<JsonNode> last;
  private @Nullable Subscription subscription;
  private long seen;

  private Frames(Predicate<JsonNode> last) {
    this.last = last;
  }

  /** The frames' JSON, one in a line; of an answer that is no stream, its bytes. */
  static BodyHandler<byte[]> until(Predicate<JsonNode> last) {
    return info -> info.statusCode() == 200 ? new Frames(last) : BodySubscribers.ofByteArray();
  }

  static List<JsonNode> parse(byte[] lines) {
    List<JsonNode> frames = new ArrayList<>();
    int from = 0;
    for (int i = 0; i < lines.length; i++) {
      if (lines[i] == '\n') {
        frames.add(Answer.json(java.util.Arrays.copyOfRange(lines, from, i)));
        from = i + 1;
      }
    }
    return frames;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return result;
  }

  @Override
  public void onSubscribe(Subscription given) {
    subscription = given;
    given.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    if (result.isDone()) {
      return;
    }
    for (ByteBuffer buffer : buffers) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      unread.writeBytes(bytes);
      seen += bytes.length;
    }
    if (seen > MOST) {
      end(new java.io.IOException("envd sends more than " + MOST + " bytes"));
      return;
    }
    take();
  }

  private void take() {
    ByteBuffer all = ByteBuffer.wrap(unread.toByteArray());
    while (all.remaining() >= HEAD && all.remaining() - HEAD >= all.getInt(all.position() + 1)) {
      byte flag = all.get();
      int length = all.getInt();
      if (length < 0) {
        end(new java.io.IOException("envd sends a frame of a negative length"));
        return;
      }
      byte[] json = new byte[length];
      all.get(json);
      JsonNode frame = Answer.json(json);
      lines.writeBytes(frame.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8));
      lines.write('\n');
      if (flag == TRAILER || last.test(frame)) {
        end(null);
        return;
      }
    }
    unread.reset();
    unread.write(all.array(), all.position(), all.remaining());
  }

  private void end(java.io.@Nullable IOException failure) {
    if (failure == null) {
      result.complete(lines.toByteArray());
    } else {
      result.completeExceptionally(failure);
    }
    if (subscription != null) {
      subscription.cancel();
    }
  }

  @Override
  public void onError(Throwable why) {
    result.completeExceptionally(why);
  }

  @Override
  public void onComplete() {
    result.complete(lines.toByteArray());
  }
}
