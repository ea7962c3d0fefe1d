package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The folders of all jails, one each, below the extension's run folder. */
final class JailFolders {
  private static final System.Logger LOG = System.getLogger(JailFolders.class.getName());

  private final ExtensionContext context;

  JailFolders(ExtensionContext context) {
    this.context = context;
  }

  Path of(SandboxIdentity identity) {
    return context.runFolder().resolve(identity.name());
  }

  /** The identity that a folder's name says; {@link IllegalArgumentException} if it says none. */
  static SandboxIdentity identity(String installation, String name) {
    String[] parts = name.split("-", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("'" + name + "' is not a jail's name");
    }
    return new SandboxIdentity(
        installation, parts[0], Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
  }

  /** The state of an identity's jail, empty if there is none; a foreign label is an error. */
  Optional<JailState> load(SandboxIdentity identity) throws ExtensionException {
    Optional<JailState> found = read(of(identity));
    if (found.isPresent() && !ours(identity, found.get())) {
      throw new ExtensionException(
          ErrorCode.AUTHORIZATION,
          "folder " + of(identity) + " does not carry this installation's label: left alone");
    }
    return found;
  }

  /**
   * A jail whose label is not ours must not be taken over; the launcher does not look at labels.
   */
  void refuseForeign(SandboxIdentity identity) throws ExtensionException {
    try {
      Optional<JailState> _ = load(identity);
    } catch (ExtensionException e) {
      if (e.code() == ErrorCode.AUTHORIZATION) {
        throw e;
      }
      // an unreadable state is the launcher's to mend
    }
  }

  JailState require(SandboxHandle handle) throws ExtensionException {
    return load(identityOf(handle))
        .orElseThrow(() -> new ExtensionException(ErrorCode.CRASH, "the sandbox's folder is gone"));
  }

  Inspection inspect(SandboxHandle handle) throws ExtensionException {
    SandboxIdentity identity = identityOf(handle);
    Optional<JailState> found;
    try {
      found = load(identity);
    } catch (ExtensionException e) {
      return new Inspection.Unknown(String.valueOf(e.getMessage()));
    }
    if (found.isEmpty()) {
      return new Inspection.Gone();
    }
    return found.get().running() ? new Inspection.Running() : found.get().end();
  }

  InventoryPage inventory() throws ExtensionException {
    List<InventoryPage.InventoryObject> objects = new ArrayList<>();
    boolean complete = true;
    for (Path folder : list()) {
      try {
        read(folder)
            .filter(state -> ours(state.identity(), state))
            .map(this::object)
            .ifPresent(objects::add);
      } catch (ExtensionException e) {
        complete = false;
        LOG.log(System.Logger.Level.WARNING, "jail unreadable folder={0}", folder, e);
      }
    }
    return new InventoryPage(context.runFolder().toString(), complete, objects, null);
  }

  private InventoryPage.InventoryObject object(JailState state) {
    return new InventoryPage.InventoryObject(
        state.identity(), state.providerUid(), state.createdAt(), state.handle());
  }

  private List<Path> list() throws ExtensionException {
    try (Stream<Path> folders = Files.list(context.runFolder())) {
      return folders.filter(Files::isDirectory).sorted().toList();
    } catch (IOException e) {
      throw unreadable(context.runFolder(), e);
    }
  }

  private boolean ours(SandboxIdentity identity, JailState state) {
    return state.identity().equals(identity)
        && identity.installation().equals(context.installation())
        && context.verify(identity, state.label());
  }

  private static Optional<JailState> read(Path folder) throws ExtensionException {
    try {
      return Optional.of(JailState.of(Fields.parse(Files.readString(folder.resolve("state")))));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException | IllegalArgumentException e) {
      throw unreadable(folder, e);
    }
  }

  private static SandboxIdentity identityOf(SandboxHandle handle) throws ExtensionException {
    Fields fields = Fields.parse(handle.data());
    try {
      if (handle.version() != 1) {
        throw new IllegalArgumentException("version " + handle.version() + " is not known");
      }
      return identity(fields.get("installation"), fields.get("name"));
    } catch (IllegalArgumentException e) {
      throw new ExtensionException(
          ErrorCode.VALIDATION,
          Outcome.NOTHING_CREATED,
          "this is not a handle of nsjail: " + e.getMessage(),
          e);
    }
  }

  private static ExtensionException unreadable(Path path, Exception cause) {
    return new ExtensionException(
        ErrorCode.UNAVAILABLE,
        Outcome.UNKNOWN,
        path + " cannot be read: " + cause.getMessage(),
        cause);
  }
}
