package dev.sandboxer.cli.copy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.Context;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.Verb;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.cli.terminal.ProgressLine;
import dev.sandboxer.cli.terminal.Spans;
import dev.sandboxer.dataplane.Dataplane;
import dev.sandboxer.dataplane.file.Progress;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Copies files and folders into a sandbox and out of it. */
@Command(
    name = "cp",
    description = "Copy files and folders into a sandbox and out of it.",
    customSynopsis = {
      "sandboxer cp [OPTIONS] SRC SANDBOX:DST",
      "sandboxer cp [OPTIONS] SANDBOX:SRC DST"
    },
    footer = {
      "",
      "Paths inside begin at /workspace. Into a folder that is there a copy goes under its own name; else",
      "DST is the copy's name, and the folder around it must be there. SRC/. means the contents of SRC.",
      "- is standard input, which becomes one file, or standard output: a file as it is, a folder as tar."
    })
public final class CopyVerb extends Verb {
  private static final String STREAM = "-";

  @Parameters(
      index = "0",
      paramLabel = "SRC",
      description = "What to copy: a path, SANDBOX:PATH, or -.")
  private String from = "";

  @Parameters(
      index = "1",
      paramLabel = "DST",
      description = "Where to: a path, SANDBOX:PATH, or -.")
  private String to = "";

  @Option(
      names = {"-q", "--quiet"},
      description = "Say nothing but what went wrong.")
  private boolean quiet;

  public CopyVerb(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws InterruptedException {
    Optional<Inside> source = Inside.of(from);
    Optional<Inside> target = Inside.of(to);
    if (source.isPresent() == target.isPresent()) {
      throw Failure.usage(
          (source.isPresent()
                  ? "both sides are in a sandbox; copy through this machine, or with - as in"
                      + " sandboxer cp A:file - | sandboxer cp - B:file"
                  : "one side must be in a sandbox, such as sb_k3q...:results")
              + "; a path of this machine with a colon is written ./a:b");
    }
    if (json() && to.equals(STREAM)) {
      throw Failure.usage("--json and - both want standard output");
    }
    Inside inside = source.or(() -> target).orElseThrow();
    String id = context().sandbox(inside.sandbox());
    Copied copied = copy(context().dataplane(id), source, target);
    report(id, source.isPresent(), copied);
    return ExitCode.OK;
  }

  private Copied copy(Dataplane dataplane, Optional<Inside> source, Optional<Inside> target)
      throws InterruptedException {
    try (ProgressLine line = new ProgressLine(context().console(), showsProgress())) {
      Progress progress = line::moved;
      if (source.isPresent()) {
        CopyOut out = new CopyOut(dataplane, progress);
        return to.equals(STREAM)
            ? out.stream(source.get(), context().console().streams().out())
            : out.path(source.get(), to);
      }
      CopyIn in = new CopyIn(dataplane, progress);
      Inside place = target.orElseThrow();
      return from.equals(STREAM)
          ? in.stream(context().console().streams().in(), place)
          : in.path(from, place);
    }
  }

  private boolean showsProgress() {
    return !quiet && !json() && context().console().streams().errTerminal();
  }

  private void report(String id, boolean out, Copied copied) {
    if (json()) {
      print(document(id, out, copied));
      return;
    }
    if (!quiet) {
      context()
          .console()
          .tell(
              Escapes.visible(
                  "copied %d %s, %s to %s"
                      .formatted(
                          copied.tally().files(),
                          copied.tally().files() == 1 ? "file" : "files",
                          Spans.bytes(copied.tally().bytes()),
                          copied.to().equals(STREAM) ? "standard output" : copied.to())));
    }
    if (copied.tally().skippedCount() > 0) {
      context()
          .console()
          .tell(
              Escapes.visible(
                  "warning: %d left out, because they are no files or lead out of the folder: %s"
                      .formatted(
                          copied.tally().skippedCount(),
                          String.join(", ", copied.tally().skipped()))));
    }
  }

  private ObjectNode document(String id, boolean out, Copied copied) {
    ObjectNode document =
        context()
            .json()
            .createObjectNode()
            .put("sandbox_id", id)
            .put("direction", out ? "out" : "in")
            .put("from", from)
            .put("to", copied.to())
            .put("files", copied.tally().files())
            .put("bytes", copied.tally().bytes())
            .put("skipped_count", copied.tally().skippedCount());
    copied.tally().skipped().forEach(document.putArray("skipped")::add);
    return document;
  }
}
