package dev.sandboxer.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Lists of the API, followed to their end. */
public final class Pages {
  private static final int LIMIT = 500;

  private final Api api;

  public Pages(Api api) {
    this.api = api;
  }

  /** All items of the list at {@code path}. */
  public List<JsonNode> all(String path) throws InterruptedException {
    return first(path, Integer.MAX_VALUE);
  }

  /** The first items of that list, {@code most} of them if there are so many. */
  public List<JsonNode> first(String path, int most) throws InterruptedException {
    List<JsonNode> items = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page =
          api.get(
              path
                  + (path.contains("?") ? "&" : "?")
                  + "limit="
                  + Math.min(LIMIT, most - items.size())
                  + cursor);
      page.path("items").forEach(items::add);
      String next = page.path("next_cursor").asText("");
      cursor =
          next.isEmpty() || next.equals("null")
              ? ""
              : "&cursor=" + URLEncoder.encode(next, StandardCharsets.UTF_8);
    } while (!cursor.isEmpty() && items.size() < most);
    return items.subList(0, Math.min(most, items.size()));
  }
}
