package dev.sandboxer.platform.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Which methods a path of the API takes, for the header {@code Allow} that belongs to status 405
 * (RFC 9110, 15.5.6); the framework leaves it out.
 */
@ApplicationScoped
class AllowedMethods {

  private final List<Operation> operations;

  AllowedMethods(BeanManager beans) {
    this.operations =
        beans.getBeans(Object.class, Any.Literal.INSTANCE).stream()
            .<Class<?>>map(Bean::getBeanClass)
            .filter(resource -> resource.isAnnotationPresent(Path.class))
            .distinct()
            .flatMap(resource -> operations(resource).stream())
            .toList();
  }

  private static List<Operation> operations(Class<?> resource) {
    List<Operation> operations = new ArrayList<>();
    for (Method method : resource.getDeclaredMethods()) {
      for (Annotation annotation : method.getAnnotations()) {
        HttpMethod http = annotation.annotationType().getAnnotation(HttpMethod.class);
        if (http != null) {
          operations.add(new Operation(http.value(), form(path(resource) + path(method))));
        }
      }
    }
    return operations;
  }

  private static String path(AnnotatedElement element) {
    Path path = element.getAnnotation(Path.class);
    return path == null ? "" : "/" + path.value();
  }

  /** Matches the paths of a template such as {@code /v1/sandboxes/{id}}. */
  private static Pattern form(String template) {
    String plain = template.replaceAll("/{2,}", "/").replaceAll("(?<=.)/$", "");
    return Pattern.compile(
        Arrays.stream(plain.split("(?<=/)|(?=/)", -1))
            .map(part -> part.startsWith("{") ? "[^/]+" : Pattern.quote(part))
            .reduce("", String::concat));
  }

  /**
   * Finds the methods of a path.
   *
   * @param path of a request
   * @return as {@code Allow} lists them; empty if there is no such path
   */
  String of(String path) {
    Set<String> methods = new TreeSet<>();
    operations.stream()
        .filter(operation -> operation.path().matcher(path).matches())
        .forEach(operation -> methods.add(operation.method()));
    if (methods.contains("GET")) {
      methods.add("HEAD");
    }
    return String.join(", ", methods);
  }

  private record Operation(String method, Pattern path) {}
}
