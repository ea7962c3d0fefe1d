package dev.sandboxer.testing.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An image for one architecture, with layers as plain archives, which a registry gets compressed.
 *
 * @param config what the image says of users, variables, programs: {@code Env}, {@code User}, …
 */
public record RegistryImage(
    String architecture, Map<String, Object> config, List<byte[]> layers, Format format) {

  private static final JsonMapper JSON = new JsonMapper();

  /** The names of the same things in the two formats that registries have. */
  public enum Format {
    OCI(
        "application/vnd.oci.image.index.v1+json",
        "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.oci.image.config.v1+json",
        "application/vnd.oci.image.layer.v1.tar+gzip"),
    DOCKER(
        "application/vnd.docker.distribution.manifest.list.v2+json",
        "application/vnd.docker.distribution.manifest.v2+json",
        "application/vnd.docker.container.image.v1+json",
        "application/vnd.docker.image.rootfs.diff.tar.gzip");

    private final String index;
    private final String manifest;
    private final String config;
    private final String layer;

    Format(String index, String manifest, String config, String layer) {
      this.index = index;
      this.manifest = manifest;
      this.config = config;
      this.layer = layer;
    }

    public String manifestType() {
      return manifest;
    }
  }

  /** For the architecture of this machine, in Docker's format. */
  public static RegistryImage of(Layer... layers) {
    return new RegistryImage(
        architectureHere(),
        Map.of(),
        Arrays.stream(layers).map(Layer::tar).toList(),
        Format.DOCKER);
  }

  /** The name that images have for the architecture of this machine. */
  public static String architectureHere() {
    return System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
  }

  public RegistryImage architecture(String other) {
    return new RegistryImage(other, config, layers, format);
  }

  public RegistryImage config(Map<String, Object> other) {
    return new RegistryImage(architecture, other, layers, format);
  }

  public RegistryImage format(Format other) {
    return new RegistryImage(architecture, config, layers, other);
  }

  /** Puts it into the registry, such as as {@code team/app} with the tag {@code 1}. */
  public Pushed push(RegistryServer server, String repository, String tag) {
    Upload upload = new Upload(server, repository);
    Manifest manifest = manifest(upload);
    upload.manifest(tag, format.manifest, manifest.bytes());
    return new Pushed(
        server.address() + "/" + repository, tag, digest(manifest.bytes()), manifest.layers);
  }

  /** Puts images of several architectures under one tag; the digest is the index's. */
  public static Pushed pushAll(
      RegistryServer server, String repository, String tag, RegistryImage... images) {
    Upload upload = new Upload(server, repository);
    Format format = images[0].format;
    List<Map<String, Object>> entries =
        Arrays.stream(images).map(image -> image.entry(upload)).toList();
    byte[] index =
        json(Map.of("schemaVersion", 2, "mediaType", format.index, "manifests", entries));
    upload.manifest(tag, format.index, index);
    return new Pushed(server.address() + "/" + repository, tag, digest(index), List.of());
  }

  private Map<String, Object> entry(Upload upload) {
    byte[] manifest = manifest(upload).bytes();
    String digest = digest(manifest);
    upload.manifest(digest, format.manifest, manifest);
    Map<String, Object> entry = new TreeMap<>(descriptor(format.manifest, manifest));
    entry.put("platform", Map.of("os", "linux", "architecture", architecture));
    return entry;
  }

  private Manifest manifest(Upload upload) {
    List<byte[]> packed = layers.stream().map(Layer::gzip).toList();
    packed.forEach(upload::blob);
    byte[] configuration =
        json(
            Map.of(
                "os",
                "linux",
                "architecture",
                architecture,
                "config",
                config,
                "rootfs",
                Map.of(
                    "type",
                    "layers",
                    "diff_ids",
                    layers.stream().map(RegistryImage::digest).toList())));
    upload.blob(configuration);
    byte[] bytes =
        json(
            Map.of(
                "schemaVersion",
                2,
                "mediaType",
                format.manifest,
                "config",
                descriptor(format.config, configuration),
                "layers",
                packed.stream().map(layer -> descriptor(format.layer, layer)).toList()));
    return new Manifest(
        new String(bytes, UTF_8), packed.stream().map(RegistryImage::digest).toList());
  }

  private static Map<String, Object> descriptor(String type, byte[] content) {
    return Map.of("mediaType", type, "digest", digest(content), "size", content.length);
  }

  private static byte[] json(Map<String, Object> value) {
    try {
      return JSON.writeValueAsBytes(new TreeMap<>(value));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static String digest(byte[] content) {
    try {
      return "sha256:"
          + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * An image that a registry has.
   *
   * @param name with the registry's host and port, without tag and digest
   * @param layers digests as the registry stores them
   */
  public record Pushed(String name, String tag, String digest, List<String> layers) {

    public String byTag() {
      return name + ":" + tag;
    }

    public String byDigest() {
      return name + "@" + digest;
    }
  }

  private record Manifest(String json, List<String> layers) {

    byte[] bytes() {
      return json.getBytes(UTF_8);
    }
  }

  private record Upload(RegistryServer server, String repository) {

    void blob(byte[] content) {
      HttpResponse<byte[]> begun =
          sent(
              HttpRequest.newBuilder(server.url("/v2/" + repository + "/blobs/uploads/"))
                  .POST(BodyPublishers.noBody()),
              202);
      String place = begun.headers().firstValue("Location").orElseThrow();
      URI end = server.url(place + (place.contains("?") ? "&" : "?") + "digest=" + digest(content));
      sent(
          HttpRequest.newBuilder(end)
              .header("Content-Type", "application/octet-stream")
              .PUT(BodyPublishers.ofByteArray(content)),
          201);
    }

    void manifest(String reference, String type, byte[] content) {
      sent(
          HttpRequest.newBuilder(server.url("/v2/" + repository + "/manifests/" + reference))
              .header("Content-Type", type)
              .PUT(BodyPublishers.ofByteArray(content)),
          201);
    }

    private HttpResponse<byte[]> sent(HttpRequest.Builder request, int expected) {
      HttpResponse<byte[]> response = server.send(request);
      if (response.statusCode() != expected) {
        throw new IllegalStateException(
            response.statusCode() + ": " + new String(response.body(), UTF_8));
      }
      return response;
    }
  }
}
