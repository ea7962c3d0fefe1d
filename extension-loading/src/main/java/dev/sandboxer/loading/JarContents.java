package dev.sandboxer.loading;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;

/**
 * What lies in jars, without loading any of it.
 *
 * @param shared entries that the platform lends anyway
 * @param tooNew class files that this Java cannot read
 * @param preview class files that need preview features
 * @param newest the newest version of a class file, 0 without any
 * @param constructors classes that call a constructor of the SPI which is no promise, with its type
 * @param natives native libraries, each with the machine that it is for
 */
record JarContents(
    List<String> shared,
    List<String> tooNew,
    List<String> preview,
    int newest,
    List<String> constructors,
    List<Native> natives) {

  private static final int CLASS_MAGIC = 0xCAFEBABE;
  private static final int FIRST_JAVA = 44; // class file version 45 is Java 1
  private static final int PREVIEW = 0xFFFF;
  private static final int HEAD_BYTES = 8;
  private static final Set<String> SHARED = Set.of("dev/sandboxer/spi/", "org/jspecify/");
  private static final Pattern VERSIONED = Pattern.compile("META-INF/versions/(\\d+)/.*");
  private static final Pattern NATIVE =
      Pattern.compile(".*\\.(so(\\.\\d+)*|dylib|jnilib|dll)", Pattern.CASE_INSENSITIVE);

  /**
   * A native library.
   *
   * @param name of its entry
   * @param machine such as {@code linux-amd64}, {@code other} for what is not Linux's
   */
  record Native(String name, String machine) {}

  static JarContents of(List<Path> jars) throws IOException {
    JarContents contents =
        new JarContents(
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            0,
            new ArrayList<>(),
            new ArrayList<>());
    int newest = 0;
    for (Path jar : jars) {
      try (JarFile opened = new JarFile(jar.toFile())) {
        for (JarEntry entry : opened.stream().toList()) {
          newest = Math.max(newest, contents.look(jar, opened, entry));
        }
      }
    }
    return new JarContents(
        contents.shared,
        contents.tooNew,
        contents.preview,
        newest,
        contents.constructors,
        contents.natives);
  }

  /** Java's version of a class file, 0 for anything else. */
  private int look(Path jar, JarFile opened, JarEntry entry) throws IOException {
    String name = entry.getName();
    String place = jar.getFileName() + "!" + name;
    if (NATIVE.matcher(name).matches()) {
      natives.add(new Native(place, machine(opened, entry)));
    }
    if (!name.endsWith(".class") || unused(name)) {
      return 0;
    }
    if (SHARED.stream().anyMatch(name::startsWith)) {
      shared.add(place);
    }
    return classFile(place, opened, entry);
  }

  /** A class for a later Java in a jar for several: this one never looks there. */
  private static boolean unused(String name) {
    var versioned = VERSIONED.matcher(name);
    return versioned.matches()
        && Integer.parseInt(versioned.group(1)) > Runtime.version().feature();
  }

  private int classFile(String place, JarFile opened, JarEntry entry) throws IOException {
    byte[] bytes;
    try (InputStream in = opened.getInputStream(entry)) {
      bytes = in.readAllBytes();
    }
    ByteBuffer head = ByteBuffer.wrap(bytes);
    if (bytes.length < HEAD_BYTES || head.getInt() != CLASS_MAGIC) {
      tooNew.add(place + " (no class file)");
      return 0;
    }
    int minor = Short.toUnsignedInt(head.getShort());
    int java = Short.toUnsignedInt(head.getShort()) - FIRST_JAVA;
    if (java > Runtime.version().feature()) {
      tooNew.add(place + " (Java " + java + ")");
    } else if (minor == PREVIEW) {
      preview.add(place);
    } else {
      MarkedConstructors.of(bytes).forEach(type -> constructors.add(place + " (" + type + ")"));
    }
    return java;
  }

  private static String machine(JarFile opened, JarEntry entry) throws IOException {
    try (InputStream in = opened.getInputStream(entry)) {
      byte[] head = in.readNBytes(20);
      if (head.length < 20 || head[0] != 0x7f || head[1] != 'E' || head[2] != 'L') {
        return "other";
      }
      return switch (head[18] & 0xff) {
        case 0x3e -> "linux-amd64";
        case 0xb7 -> "linux-arm64";
        default -> "other";
      };
    }
  }

  Set<String> machines() {
    Set<String> machines = new TreeSet<>();
    natives.forEach(n -> machines.add(n.machine()));
    return machines;
  }
}
