package dev.sandboxer.platform.api.box;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sandboxer.platform.box.Template;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The select field with which a chat platform lets people choose a template. */
@Schema(name = "BoxTemplates")
record TemplateField(
    @Schema(examples = "box-session-id-template") String name,
    @Schema(description = "by language: en_US and zh_Hans") Map<String, String> label,
    Map<String, String> description,
    @Schema(examples = "select") String type,
    boolean required,
    @JsonProperty("default") @Schema(examples = Template.DEFAULT) String preset,
    List<Option> options) {

  /** The field of the integration's own name. */
  static final TemplateField BOX_SESSION_ID_TEMPLATE =
      new TemplateField(
          "box-session-id-template",
          label("Sandbox Scope", "沙箱作用域"),
          label(
              "Determines how sandbox environments are shared. Use variables to control isolation"
                  + " granularity.",
              "决定沙箱环境的共享方式。使用变量控制隔离粒度。"),
          "select",
          false,
          Template.DEFAULT,
          List.of(
              new Option(Template.DEFAULT, label("Per chat (Recommended)", "每个会话(推荐)")),
              new Option(
                  "{launcher_type}_{launcher_id}_{sender_id}",
                  label("Per user in chat", "会话中每个用户")),
              new Option(
                  "{launcher_type}_{launcher_id}_{conversation_id}",
                  label("Per conversation context", "每个对话上下文")),
              new Option("{query_id}", label("Per message (isolated)", "每条消息(完全隔离)"))));

  /** What can be chosen. */
  @Schema(name = "BoxTemplateOption")
  record Option(@Schema(examples = "{query_id}") String value, Map<String, String> label) {}

  private static Map<String, String> label(String english, String chinese) {
    return new TreeMap<>(Map.of("en_US", english, "zh_Hans", chinese));
  }
}
