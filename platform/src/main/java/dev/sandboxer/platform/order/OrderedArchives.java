package dev.sandboxer.platform.order;

import dev.sandboxer.platform.archive.ArchiveUpload;
import dev.sandboxer.platform.archive.Archives;
import dev.sandboxer.platform.archive.StoredArchive;
import dev.sandboxer.platform.copy.HostCopies;
import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.mount.HostFolders;
import dev.sandboxer.platform.mount.MountRefusedException;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the archives that options of an order stand for, just before it is recorded. A folder is
 * packed and stored like an upload: from then on nobody needs it, whatever becomes of it and
 * wherever the sandbox is made.
 */
@ApplicationScoped
public class OrderedArchives {

  private final ExtensionRegistry registry;
  private final Archives archives;
  private final HostFolders folders;
  private final HostCopies copies;

  OrderedArchives(
      ExtensionRegistry registry, Archives archives, HostFolders folders, HostCopies copies) {
    this.registry = registry;
    this.archives = archives;
    this.folders = folders;
    this.copies = copies;
  }

  /**
   * Whether an order has options that stand for archives.
   *
   * @param order any
   * @return whether it must be {@link #kept}
   */
  public boolean needed(Order order) {
    return !named(order).isEmpty();
  }

  /**
   * Looks for the archives. Not to be called in a transaction.
   *
   * @param order of what is going to be made
   * @return the same with its archives
   * @throws ProblemException VALIDATION if the tenant has no such archive or may not use the
   *     folder; QUOTA_EXCEEDED if there is no room for what the folder holds
   */
  public Order kept(Order order) {
    Map<String, String> named = named(order);
    if (named.isEmpty()) {
      return order;
    }
    Map<String, String> ids = new HashMap<>();
    named.forEach((option, value) -> ids.put(option, archive(order, option, value).id()));
    return order.with(ids);
  }

  private Map<String, String> named(Order order) {
    Map<String, Object> options = order.spec().options();
    Map<String, String> named = new HashMap<>();
    if (!options.isEmpty()) {
      for (String option : declared(order)) {
        @Nullable Object value = options.get(option);
        if (value != null) {
          named.put(option, value.toString());
        }
      }
    }
    return named;
  }

  private Set<String> declared(Order order) {
    Set<String> declared = new TreeSet<>();
    order
        .routing()
        .extensions()
        .forEach(
            extension ->
                registry
                    .descriptor(extension.text())
                    .ifPresent(known -> declared.addAll(known.archiveOptions())));
    return declared;
  }

  private StoredArchive archive(Order order, String option, String value) {
    if (!value.startsWith(StoredArchive.PREFIX)) {
      return packed(order, option, value);
    }
    return archives
        .find(order.tenantId(), value)
        .orElseThrow(
            () ->
                refused(
                    order,
                    option,
                    "the tenant has no archive '%s'; POST /v1/archives uploads one"
                        .formatted(value)));
  }

  private StoredArchive packed(Order order, String option, String value) {
    try {
      Path folder = Path.of(value);
      folders.checkRead(order.tenantId(), folder);
      try (ArchiveUpload upload = archives.begin(order.asked())) {
        var _ = copies.pack(folder.toString(), tar -> tar.transferTo(upload));
        return upload.end(Optional.empty(), Archives.KEPT_FOLDER);
      }
    } catch (MountRefusedException | InvalidPathException e) {
      throw refused(order, option, e.getMessage());
    } catch (IOException e) {
      throw refused(order, option, "%s cannot be read: %s".formatted(value, e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ProblemException(ErrorCode.OVERLOADED, "interrupted while it read " + value);
    } catch (ProblemException e) {
      throw e.problem().code() == ErrorCode.TOO_LARGE
          ? refused(order, option, "%s: %s".formatted(value, e.problem().detail()))
          : e;
    }
  }

  private static ProblemException refused(Order order, String option, @Nullable String why) {
    return new ProblemException(
        ErrorCode.VALIDATION, "%s: options.%s: %s".formatted(order.profile(), option, why));
  }
}
