package dev.sandboxer.spi.image;

import java.util.regex.Pattern;

/**
 * The name of an image, such as {@code python:3.12} or {@code
 * registry.example:5000/team/app@sha256:…}, with what it leaves out: the registry is then Docker
 * Hub, and the tag {@code latest}.
 *
 * @param text as given
 * @param registry host and port, {@code docker.io} for Docker Hub
 * @param path in the registry, such as {@code library/python}
 * @param tag empty where there is a digest, which alone says what the image is
 * @param digest {@code sha256:} and 64 digits, empty where there is none
 */
public record ImageName(String text, String registry, String path, String tag, String digest) {

  /** Docker Hub, as names of images have it. */
  public static final String DOCKER_HUB = "docker.io";

  private static final String DEFAULT_TAG = "latest";
  private static final int MAX_LENGTH = 255;
  private static final String COMPONENT = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
  private static final Pattern PATH = Pattern.compile(COMPONENT + "(?:/" + COMPONENT + ")*");
  private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");
  private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");
  private static final Pattern REGISTRY =
      Pattern.compile("[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?");

  /**
   * Reads a name.
   *
   * @param text {@code [host[:port]/]path[:tag][@digest]}
   * @return the name
   * @throws IllegalArgumentException if it is not one; the message says what one is
   */
  public static ImageName parse(String text) {
    int at = text.indexOf('@');
    String named = at < 0 ? text : text.substring(0, at);
    int colon = named.lastIndexOf(':');
    boolean tagged = colon > named.lastIndexOf('/');
    String place = tagged ? named.substring(0, colon) : named;
    int slash = place.indexOf('/');
    boolean hosted = slash > 0 && isRegistry(place.substring(0, slash));
    String path = hosted ? place.substring(slash + 1) : place;
    String digest = at < 0 ? "" : text.substring(at + 1);
    String tag = tagged ? named.substring(colon + 1) : DEFAULT_TAG;
    if (text.length() > MAX_LENGTH
        || !PATH.matcher(path).matches()
        || !TAG.matcher(tag).matches()
        || (at >= 0 && !DIGEST.matcher(digest).matches())) {
      throw new IllegalArgumentException(
          "'%.100s' is not an image name: [host[:port]/]path[:tag][@sha256:...], lower case"
              .formatted(text));
    }
    String registry = hosted ? canonical(place.substring(0, slash)) : DOCKER_HUB;
    boolean official = registry.equals(DOCKER_HUB) && !path.contains("/");
    return new ImageName(
        text, registry, official ? "library/" + path : path, at < 0 ? tag : "", digest);
  }

  /**
   * Whether this can be the registry of an image: a host with a dot or a port, or {@code
   * localhost}. Engines take anything else for the first part of a path on Docker Hub.
   *
   * @param text such as {@code registry.example:5000}
   * @return whether it can
   */
  public static boolean isRegistry(String text) {
    return REGISTRY.matcher(text).matches()
        && (text.contains(".") || text.contains(":") || text.equals("localhost"));
  }

  private static String canonical(String registry) {
    return registry.equals("index." + DOCKER_HUB) ? DOCKER_HUB : registry;
  }

  /**
   * Registry and path.
   *
   * @return such as {@code docker.io/library/python}
   */
  public String repository() {
    return registry + "/" + path;
  }

  /**
   * What the image is called in its repository.
   *
   * @return the digest, or the tag where there is none
   */
  public String reference() {
    return digest.isEmpty() ? tag : digest;
  }

  /**
   * The whole name, the same for all names that mean the same.
   *
   * @return such as {@code docker.io/library/python:3.12}
   */
  public String full() {
    return repository() + (digest.isEmpty() ? ":" : "@") + reference();
  }
}
