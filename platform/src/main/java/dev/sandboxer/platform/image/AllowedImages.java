package dev.sandboxer.platform.image;

import dev.sandboxer.platform.access.Tenant;
import dev.sandboxer.platform.access.Tenants;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.installation.StartupException;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.spi.image.ImageName;
import dev.sandboxer.spi.image.ImagePattern;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The images that the operator lets tenants use: all, unless the setting names some. */
@ApplicationScoped
public class AllowedImages {

  private static final Logger LOG = Logger.getLogger(AllowedImages.class);

  private static final List<ImagePattern> ALL = List.of(new ImagePattern("*"));

  private final Tenants tenants;
  private final List<Item> items;

  AllowedImages(Tenants tenants, Settings settings) {
    this.tenants = tenants;
    this.items = settings.list(Setting.SANDBOXER_IMAGES).stream().map(AllowedImages::item).toList();
  }

  /** Says what is allowed; a setting that is wrong has ended the start by now. */
  public void start() {
    LOG.infof("images allowed=%s", items.isEmpty() ? "all" : items);
  }

  /** One item of {@code SANDBOXER_IMAGES}. */
  private record Item(@Nullable String tenant, ImagePattern pattern) {

    boolean isFor(Tenant asking) {
      return tenant == null || tenant.equals(asking.name()) || tenant.equals(asking.id());
    }

    @Override
    public String toString() {
      return (tenant == null ? "" : tenant + "=") + pattern;
    }
  }

  private static Item item(String text) {
    int equals = text.indexOf('=');
    try {
      return new Item(
          equals < 0 ? null : text.substring(0, equals),
          new ImagePattern(text.substring(equals + 1)));
    } catch (IllegalArgumentException e) {
      throw new StartupException(
          "SANDBOXER_IMAGES has '%s': it must be [tenant=]pattern, such as docker.io/library/* or team-a=registry.example/team-a/*"
              .formatted(text));
    }
  }

  /**
   * Checks an image before anything is made of it.
   *
   * @param tenantId owner
   * @param image of the spec, null for none
   * @throws ProblemException VALIDATION if the tenant may not use it ({@code profile_key})
   */
  public void check(String tenantId, @Nullable String image) {
    if (image == null || items.isEmpty()) {
      return;
    }
    List<ImagePattern> patterns = patterns(tenantId);
    ImageName name = name(image);
    if (patterns.stream().noneMatch(pattern -> pattern.matches(name))) {
      throw refused(
          "image %s is not allowed for tenant '%s': in full it is %s, and SANDBOXER_IMAGES allows %s"
              .formatted(
                  image,
                  tenant(tenantId).name(),
                  name.full(),
                  patterns.isEmpty() ? "none" : patterns));
    }
  }

  /**
   * For backends that find names of images themselves.
   *
   * @param tenantId owner
   * @return what the tenant may use
   * @throws ProblemException VALIDATION if there is no such tenant
   */
  public List<ImagePattern> of(String tenantId) {
    return items.isEmpty() ? ALL : patterns(tenantId);
  }

  private List<ImagePattern> patterns(String tenantId) {
    Tenant tenant = tenant(tenantId);
    return items.stream().filter(item -> item.isFor(tenant)).map(Item::pattern).toList();
  }

  private Tenant tenant(String id) {
    return tenants.find(id).orElseThrow(() -> refused("there is no tenant " + id));
  }

  /** A sandbox of an older platform may have a name that is not read any more. */
  private static ImageName name(String image) {
    try {
      return ImageName.parse(image);
    } catch (IllegalArgumentException e) {
      throw refused(String.valueOf(e.getMessage()));
    }
  }

  private static ProblemException refused(String detail) {
    return new ProblemException(
        Problem.of(ErrorCode.VALIDATION, detail).with("profile_key", "image"));
  }
}
