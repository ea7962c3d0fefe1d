package dev.sandboxer.cli.events;

import dev.sandboxer.cli.client.Api;
import dev.sandboxer.cli.client.ApiFailure;
import java.time.Duration;
import java.util.Optional;

/** Follows events; a lost connection is made again, and goes on where it broke. */
final class EventStream {
  /** The platform gives a sign of life every 15 s. */
  private static final Duration SILENCE = Duration.ofSeconds(45);

  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
  private static final int SERVER_FAULT = 500;

  private final Api api;
  private final String path;
  private final News news;
  private String last;
  private boolean found;
  private boolean lost;
  private Duration pause = FIRST_PAUSE;

  /** What is told while following. */
  interface News {
    void message(Message message);

    void lost(String why);
  }

  /**
   * Of one path.
   *
   * @param last position after which to begin; empty for now
   */
  EventStream(Api api, String path, String last, News news) {
    this.api = api;
    this.path = path;
    this.last = last;
    this.news = news;
  }

  /**
   * Goes on until it is interrupted.
   *
   * @throws Api.Unreachable if there is no platform at the beginning
   * @throws ApiFailure if the platform refuses
   */
  void follow() throws InterruptedException {
    while (true) {
      try (Connection connection = new Connection(api.stream(path, last))) {
        found = true;
        read(connection);
        lose("the connection broke");
      } catch (Api.Unreachable e) {
        retry(e, e.text());
      } catch (ApiFailure e) {
        if (e.status() < SERVER_FAULT) {
          throw e;
        }
        retry(e, e.text());
      }
      Thread.sleep(pause);
      pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
    }
  }

  private void read(Connection connection) throws InterruptedException {
    Optional<Message> next = connection.next(SILENCE);
    while (next.isPresent()) {
      lost = false;
      pause = FIRST_PAUSE;
      Message message = next.get();
      if (!message.data().isEmpty()) {
        news.message(message);
      }
      last = message.id();
      next = connection.next(SILENCE);
    }
  }

  private void retry(RuntimeException failure, String why) {
    if (!found) {
      throw failure;
    }
    lose(why);
  }

  /** Told once, however often it is tried. */
  private void lose(String why) {
    if (!lost) {
      news.lost(why);
    }
    lost = true;
  }
}
