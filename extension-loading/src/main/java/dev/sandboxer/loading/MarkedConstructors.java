package dev.sandboxer.loading;

import dev.sandboxer.spi.ForPlatform;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.MethodRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Which constructors of the SPI a class calls that are marked {@link ForPlatform}, or that are not
 * there any more.
 */
final class MarkedConstructors {

  private static final String SPI = "dev/sandboxer/spi/";

  private MarkedConstructors() {}

  /** The simple names of the types; empty for a class that only uses what is promised. */
  static Iterable<String> of(byte[] classFile) {
    TreeSet<String> types = new TreeSet<>();
    try {
      for (PoolEntry entry : ClassFile.of().parse(classFile).constantPool()) {
        if (entry instanceof MethodRefEntry called) {
          marked(called).ifPresent(types::add);
        }
      }
    } catch (IllegalArgumentException e) {
      return types; // what is no class file is reported by whoever loads it
    }
    return types;
  }

  private static Optional<String> marked(MemberRefEntry called) {
    String owner = called.owner().asInternalName();
    if (!owner.startsWith(SPI) || !called.name().equalsString("<init>")) {
      return Optional.empty();
    }
    try {
      Class<?> type =
          Class.forName(owner.replace('/', '.'), false, MarkedConstructors.class.getClassLoader());
      boolean promised =
          Arrays.stream(type.getDeclaredConstructors())
              .filter(constructor -> !constructor.isAnnotationPresent(ForPlatform.class))
              .anyMatch(constructor -> descriptor(constructor).equals(called.type().stringValue()));
      return promised ? Optional.empty() : Optional.of(type.getSimpleName());
    } catch (ClassNotFoundException e) {
      return Optional.of(owner.substring(owner.lastIndexOf('/') + 1));
    }
  }

  private static String descriptor(Constructor<?> constructor) {
    return MethodTypeDesc.of(
            java.lang.constant.ConstantDescs.CD_void,
            Arrays.stream(constructor.getParameterTypes())
                .map(parameter -> parameter.describeConstable().orElseThrow())
                .toList())
        .descriptorString();
  }
}
