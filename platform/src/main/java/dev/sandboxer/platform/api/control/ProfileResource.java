package dev.sandboxer.platform.api.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sandboxer.platform.api.Page;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.profile.Profile;
import dev.sandboxer.platform.profile.ProfileEntry;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.spi.Resources;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** {@code /v1/profiles}. */
@Path("/v1/profiles")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "profiles")
public class ProfileResource {

  private final ProfileStore profiles;

  ProfileResource(ProfileStore profiles) {
    this.profiles = profiles;
  }

  @GET
  @Operation(
      operationId = "listProfiles",
      summary = "List profiles, and files that are wrong with the line that is")
  public Page<EntryView> list() {
    return Page.whole(profiles.list().stream().map(EntryView::of).toList());
  }

  @GET
  @Path("{reference}")
  @Operation(
      operationId = "getProfile",
      summary = "Look at a profile",
      description = "The reference is a name or profile.<name>, optionally with @version.")
  public ProfileView get(@PathParam("reference") String reference) {
    return profiles
        .find(reference)
        .map(ProfileView::of)
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.NOT_FOUND, "there is no profile '%s'".formatted(reference)));
  }

  private static List<String> lower(Iterable<? extends Enum<?>> values) {
    List<String> names = new java.util.ArrayList<>();
    values.forEach(value -> names.add(value.name().toLowerCase(Locale.ROOT)));
    names.sort(null);
    return names;
  }

  @Schema(name = "ProfileEntry")
  record EntryView(
      String id,
      @Nullable ProfileView profile,
      String source,
      List<String> shadowed,
      @JsonInclude(JsonInclude.Include.NON_NULL) ProfileEntry.@Nullable ProfileError error) {

    static EntryView of(ProfileEntry entry) {
      Profile profile = entry.profile();
      return new EntryView(
          entry.id(),
          profile == null ? null : ProfileView.of(profile),
          entry.source(),
          entry.shadowed(),
          entry.error());
    }
  }

  @Schema(name = "Profile")
  record ProfileView(
      String id,
      int version,
      String description,
      String extension,
      String isolation,
      ResourcesView resources,
      List<String> envNames,
      long ttlSeconds,
      long hardTtlSeconds,
      Map<String, String> labels,
      List<String> bestEffort) {

    static ProfileView of(Profile profile) {
      return new ProfileView(
          profile.id(),
          profile.version(),
          profile.description(),
          profile.extension(),
          profile.isolation().name().toLowerCase(Locale.ROOT),
          ResourcesView.of(profile.resources()),
          profile.env().keySet().stream().sorted().toList(),
          profile.ttl().toSeconds(),
          profile.hardTtl().toSeconds(),
          profile.labels(),
          lower(profile.bestEffort()));
    }
  }

  @Schema(name = "Resources")
  record ResourcesView(
      BigDecimal cpus,
      long memoryBytes,
      int pids,
      long workspaceBytes,
      long tmpBytes,
      int openFiles) {

    static ResourcesView of(Resources resources) {
      return new ResourcesView(
          resources.cpus(),
          resources.memoryBytes(),
          resources.pids(),
          resources.workspaceBytes(),
          resources.tmpBytes(),
          resources.openFiles());
    }
  }
}
