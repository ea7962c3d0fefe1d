package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.extension.Breakers;
import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.extension.LoadedExtension;
import dev.sandboxer.spi.ExtensionDescriptor;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /v1/extensions}: what is loaded, and what is not and why. */
@Path("/v1/extensions")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "extensions")
public class ExtensionResource {

  private final ExtensionRegistry registry;
  private final Breakers breakers;
  private final ExtensionProbes probes;
  private final Caller caller;

  ExtensionResource(
      ExtensionRegistry registry, Breakers breakers, ExtensionProbes probes, Caller caller) {
    this.caller = caller;
    this.registry = registry;
    this.breakers = breakers;
    this.probes = probes;
  }

  @GET
  @Operation(
      operationId = "listExtensions",
      summary = "List backends, those that did not load with the reason",
      description =
          "For operators 'reason' says why one did not load, and 'probe' what a real try on this"
              + " machine found.")
  public Page<ExtensionView> list() {
    return Page.whole(registry.list().stream().map(this::view).toList());
  }

  private ExtensionView view(LoadedExtension extension) {
    Map<String, String> states = new TreeMap<>();
    breakers.states(extension.id()).forEach((host, state) -> states.put(host, lower(state)));
    ExtensionDescriptor descriptor = extension.descriptor();
    boolean operator = caller.may(Role.OPERATOR);
    return new ExtensionView(
        extension.id(),
        extension.version(),
        lower(extension.state()),
        operator ? extension.reason() : null,
        registry.changed(extension) ? "jar changed, restart to load it" : null,
        descriptor == null ? null : DescriptorView.of(descriptor),
        states,
        operator && extension.state() == LoadedExtension.State.LOADED
            ? probes.of(extension.id())
            : null);
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static List<String> lower(Set<? extends Enum<?>> values) {
    return values.stream().sorted().map(ExtensionResource::lower).toList();
  }

  @Schema(name = "Extension")
  record ExtensionView(
      String id,
      String version,
      @Schema(enumeration = {"loaded", "failed"}) String state,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String reason,
      @Schema(description = "what an operator should know of one that runs")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable String note,
      @Nullable DescriptorView descriptor,
      Map<String, String> breakers,
      @JsonInclude(JsonInclude.Include.NON_NULL) ExtensionProbes.@Nullable ProbeView probe) {}

  @Schema(name = "ExtensionDescriptor")
  record DescriptorView(
      int apiVersion,
      String hosting,
      List<String> isolationLevels,
      List<String> networkModes,
      List<String> limits,
      String persistence,
      List<String> regions,
      List<String> architectures,
      String pricing,
      String boxd,
      String identity,
      long lateEffectWindowSeconds,
      boolean nodeBound,
      boolean uidLease,
      String mountDelivery,
      List<String> settings) {

    static DescriptorView of(ExtensionDescriptor d) {
      return new DescriptorView(
          d.apiVersion(),
          lower(d.hosting()),
          lower(d.isolationLevels()),
          lower(d.networkModes()),
          lower(d.limits()),
          lower(d.persistence()),
          d.regions().stream().sorted().toList(),
          d.architectures().stream().sorted().toList(),
          lower(d.pricing()),
          lower(d.boxd()),
          lower(d.identity()),
          d.lateEffectWindow().toSeconds(),
          d.nodeBound(),
          d.uidLease(),
          lower(d.mountDelivery()),
          d.settings().stream().sorted().toList());
    }
  }
}
