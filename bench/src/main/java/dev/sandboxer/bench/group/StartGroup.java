package dev.sandboxer.bench.group;

import dev.sandboxer.bench.measure.Interleaving;
import dev.sandboxer.bench.measure.Lane;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Children;
import dev.sandboxer.bench.subject.Platform;
import dev.sandboxer.bench.subject.Scene;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A start on a home that ran before, the memory it takes, and how soon the command line tool
 * answers.
 */
public final class StartGroup implements Group {

  private static final int STARTS = 5;
  private static final Interleaving LISTS = new Interleaving(Duration.ZERO, 1, 20);
  private static final double GOAL_SECONDS = 3;
  private static final double GOAL_MB = 350;
  private static final double GOAL_LIST_SECONDS = 0.4;
  private static final double GOAL_LIST_PROCESSOR_SECONDS = 0.3;

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    List<Row> rows = new ArrayList<>(starts(scene));
    rows.addAll(list(scene.platform()));
    return rows;
  }

  private static List<Row> starts(Scene scene) throws Exception {
    Samples seconds = new Samples();
    Samples megabytes = new Samples();
    for (int i = 0; i < STARTS; i++) {
      Platform stopped = scene.stopped();
      long begin = System.nanoTime();
      scene.platform();
      seconds.add((System.nanoTime() - begin) / 1e9);
      megabytes.add(stopped.residentBytes() / 1e6);
    }
    return List.of(
        Row.of("start", "up --detach to ready, not the first", "s", seconds)
            .within(Goal.atMost(GOAL_SECONDS)),
        Row.of("start.rss", "resident memory of the platform's JVM", "MB", megabytes)
            .within(Goal.atMost(GOAL_MB)));
  }

  private static List<Row> list(Platform platform) throws Exception {
    Lane lane = new Lane("sandboxer ls", platform::list);
    platform.list();
    double before = Children.processorSeconds();
    LISTS.measure(List.of(lane));
    double used = (Children.processorSeconds() - before) / lane.samples().count();
    return List.of(
        Row.of("start.ls", lane.name(), "s", lane.samples().times(1e-3))
            .within(Goal.atMost(GOAL_LIST_SECONDS)),
        Row.single("start.ls.cpu", "processor time of sandboxer ls, on average", "s", used)
            .within(Goal.atMost(GOAL_LIST_PROCESSOR_SECONDS)));
  }
}
