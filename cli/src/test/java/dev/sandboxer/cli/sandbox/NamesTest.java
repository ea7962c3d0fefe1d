package dev.sandboxer.cli.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sandboxes by their names and by the beginnings of their ids. */
class NamesTest {
  private static final String OTHER = "sb_b23456789012345678b0";

  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  private static StandIn.Reply page(String... ids) {
    JsonArray items = new JsonArray();
    for (String id : ids) {
      items.add(new JsonObject().put("id", id).put("state", "ready"));
    }
    return StandIn.text(200, new JsonObject().put("items", items).encode());
  }

  private CommandLineRun exec(String sandbox, int code) {
    CommandLineRun exec = CommandLineRun.against(platform);
    assertThat(exec.run("exec", sandbox, "echo", "-n", "in")).as(exec.err()).isEqualTo(code);
    return exec;
  }

  @Test
  void aNameStandsForItsSandbox() {
    platform.next("GET /v1/sandboxes", page(StandIn.ID));
    assertThat(exec("web", 0).out()).isEqualTo("in");
    assertThat(platform.queries).anyMatch(call -> call.contains("label=name:web"));
  }

  @Test
  void theBeginningOfAnIdIsEnoughWhereItIsUnique() {
    platform.next("GET /v1/sandboxes", page()).next("GET /v1/sandboxes", page(StandIn.ID, OTHER));
    assertThat(exec("a23", 0).out()).isEqualTo("in");
  }

  @Test
  void aWholeIdIsNotAskedFor() {
    assertThat(exec(StandIn.ID, 0).out()).isEqualTo("in");
    assertThat(exec(StandIn.ID.substring(3), 0).out()).isEqualTo("in");
    assertThat(platform.queries).noneMatch(call -> call.contains("live=true"));
  }

  @Test
  void whatIsSeveralOrNoneIsAWrongCall() {
    platform.next("GET /v1/sandboxes", page(StandIn.ID, OTHER));
    assertThat(exec("web", 2).err()).contains("\"web\" is 2 sandboxes", StandIn.ID, OTHER);
    platform.next("GET /v1/sandboxes", page()).next("GET /v1/sandboxes", page(OTHER));
    assertThat(exec("web", 2).err()).contains("no sandbox that is there is called \"web\"");
    assertThat(exec("../keys", 2).err()).contains("\"../keys\" is no sandbox");
  }

  @Test
  void aNameIsTheLabelAndIsGivenOnce() {
    platform.next("GET /v1/sandboxes", page());
    CommandLineRun create = CommandLineRun.against(platform);
    assertThat(create.run("create", "--name", "web", "--label", "a=b")).as(create.err()).isZero();
    assertThat(platform.bodies.getFirst().getJsonObject("labels"))
        .isEqualTo(new JsonObject().put("name", "web").put("a", "b"));

    platform.next("GET /v1/sandboxes", page(OTHER));
    CommandLineRun again = CommandLineRun.against(platform);
    assertThat(again.run("create", "--name", "web")).isEqualTo(2);
    assertThat(again.err()).contains(OTHER + " has that name", "sandboxer rm web");
    CommandLineRun wrong = CommandLineRun.against(platform);
    assertThat(wrong.run("create", "--name", "Web_1")).isEqualTo(2);
    assertThat(wrong.err()).contains("--name \"Web_1\" must be");
    assertThat(platform.bodies).hasSize(1);
  }

  @Test
  void lsAsksForWhatIsWanted() {
    platform.next("GET /v1/sandboxes", page(StandIn.ID));
    CommandLineRun ls = CommandLineRun.against(platform);
    assertThat(ls.run("ls", "--profile", "local", "--project", "a b", "--label", "k=v")).isZero();
    assertThat(platform.queries)
        .anyMatch(call -> call.contains("&profile=local&project=a+b&label=k%3Av"));
  }
}
