package dev.sandboxer.spi;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a constructor that only the platform calls. Its parameters change with each component that
 * the type gets, so a compiled extension that calls it stops working. Extensions and their tests
 * use the builder or the factory method of the type.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.CONSTRUCTOR)
public @interface ForPlatform {}
