package dev.sandboxer.platform.mount;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.id.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The manifest {@code sha256-tree-v1} of a folder, of which a content digest is the hash. LangBot
 * publishes its artefacts with it.
 *
 * @param entries in an order that counts: the files of each folder before those of its folders,
 *     both sorted
 */
public record TreeManifest(List<Entry> entries) {

  private static final String ALGORITHM = "sha256-tree-v1";
  private static final Set<String> KEYS = Set.of("algorithm", "files", "total_bytes");
  private static final Set<String> ENTRY_KEYS = Set.of("executable", "path", "sha256", "size");
  private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
  private static final int BUFFER = 1 << 16;
  private static final int FIRST_PRINTABLE = 0x20;
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

  /**
   * A file.
   *
   * @param path relative to the folder
   * @param size in bytes
   * @param sha256 of its bytes, in hex
   * @param executable whether anybody may execute it
   */
  public record Entry(String path, long size, String sha256, boolean executable) {}

  /** Keeps an immutable copy. */
  public TreeManifest {
    entries = List.copyOf(entries);
  }

  /**
   * Reads all files of a folder.
   *
   * @throws IOException also if a file has another size than when it was looked at
   */
  static TreeManifest of(FolderTree tree) throws IOException {
    byte[] buffer = new byte[BUFFER];
    List<Entry> entries = new ArrayList<>();
    for (FolderTree.File file : tree.files()) {
      entries.add(new Entry(file.name(), file.size(), content(file, buffer), file.executable()));
    }
    return new TreeManifest(entries);
  }

  private static String content(FolderTree.File file, byte[] buffer) throws IOException {
    MessageDigest digest = sha256();
    long left = file.size();
    try (InputStream in = Files.newInputStream(file.path(), LinkOption.NOFOLLOW_LINKS)) {
      for (int read = in.read(buffer); read >= 0 && left >= 0; read = in.read(buffer)) {
        digest.update(buffer, 0, read);
        left -= read;
      }
    }
    if (left != 0) {
      throw new IOException(file.path() + " changes while it is read");
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /**
   * Reads a manifest that was written to a file.
   *
   * @param text JSON in any layout
   * @return the manifest
   * @throws IllegalArgumentException if it is no manifest of this kind
   */
  public static TreeManifest parse(byte[] text) {
    try {
      JsonNode json = JSON.readTree(text);
      check(keys(json).equals(KEYS), "it must have algorithm, files and total_bytes alone");
      check(
          json.path("algorithm").asText().equals(ALGORITHM), "its algorithm must be " + ALGORITHM);
      check(json.path("files").isArray(), "files must be a list");
      List<Entry> entries = new ArrayList<>();
      json.path("files").forEach(file -> entries.add(entry(file)));
      long total = entries.stream().mapToLong(Entry::size).sum();
      check(number(json.path("total_bytes")) == total, "total_bytes must be the sum of all sizes");
      return new TreeManifest(entries);
    } catch (IOException e) {
      throw new IllegalArgumentException("it is no JSON", e);
    }
  }

  private static Entry entry(JsonNode file) {
    boolean whole =
        keys(file).equals(ENTRY_KEYS)
            && file.path("path").isTextual()
            && SHA256.matcher(file.path("sha256").asText()).matches()
            && file.path("executable").isBoolean();
    check(whole, "each of files must have path, size, sha256 and executable alone");
    return new Entry(
        file.path("path").asText(),
        number(file.path("size")),
        file.path("sha256").asText(),
        file.path("executable").asBoolean());
  }

  private static Set<String> keys(JsonNode json) {
    Set<String> keys = new TreeSet<>();
    json.fieldNames().forEachRemaining(keys::add);
    return keys;
  }

  private static long number(JsonNode json) {
    check(
        json.isIntegralNumber()
            && json.canConvertToLong()
            && json.asLong() >= 0
            && json.asLong() <= FolderTree.MOST_BYTES,
        "sizes must be 0 to " + FolderTree.MOST_BYTES);
    return json.asLong();
  }

  private static void check(boolean right, String why) {
    if (!right) {
      throw new IllegalArgumentException(why);
    }
  }

  /**
   * Its digest: the hash of its JSON with sorted keys, without spaces, and with each character as
   * it is that need not be escaped.
   *
   * @return {@code sha256:<hex>}
   */
  public String digest() {
    StringBuilder json = new StringBuilder("{\"algorithm\":\"" + ALGORITHM + "\",\"files\":[");
    String between = "";
    for (Entry entry : entries) {
      json.append(between)
          .append("{\"executable\":")
          .append(entry.executable())
          .append(",\"path\":")
          .append(quoted(entry.path()))
          .append(",\"sha256\":\"")
          .append(entry.sha256())
          .append("\",\"size\":")
          .append(entry.size())
          .append('}');
      between = ",";
    }
    long total = entries.stream().mapToLong(Entry::size).sum();
    json.append("],\"total_bytes\":").append(total).append('}');
    return "sha256:" + HexFormat.of().formatHex(Sha256.of(json.toString()));
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char next = text.charAt(i);
      switch (next) {
        case '"' -> quoted.append("\\\"");
        case '\\' -> quoted.append("\\\\");
        case '\b' -> quoted.append("\\b");
        case '\f' -> quoted.append("\\f");
        case '\n' -> quoted.append("\\n");
        case '\r' -> quoted.append("\\r");
        case '\t' -> quoted.append("\\t");
        default ->
            quoted.append(next < FIRST_PRINTABLE ? "\\u%04x".formatted((int) next) : "" + next);
      }
    }
    return quoted.append('"').toString();
  }
}
