package dev.sandboxer.platform.extension;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Calls extensions: on a thread of their own, within limits, failing only in typed ways. */
@ApplicationScoped
public class ExtensionCalls {

  // What says that the backend is in trouble, rather than the request or the room it has.
  private static final Set<ErrorCode> TROUBLE =
      EnumSet.of(ErrorCode.UNAVAILABLE, ErrorCode.TIMEOUT, ErrorCode.INTERNAL);

  private final ExtensionRegistry registry;
  private final Breakers breakers;
  private final HostCredentials credentials;

  ExtensionCalls(ExtensionRegistry registry, Breakers breakers, HostCredentials credentials) {
    this.registry = registry;
    this.breakers = breakers;
    this.credentials = credentials;
  }

  /**
   * What to call.
   *
   * @param <T> the result
   */
  @FunctionalInterface
  public interface Method<T> {
    /**
     * Calls.
     *
     * @param extension to call
     * @param call deadline, cancellation, progress
     * @return its result
     * @throws ExtensionException typed
     */
    T invoke(SandboxExtension extension, Call call) throws ExtensionException;
  }

  /**
   * Starts any call but {@code provision}.
   *
   * @param <T> the result
   * @param extensionId whom to call
   * @param host what the call is about; its credentials are resolved
   * @param name of the call, for logs and errors
   * @param limits how long it may take
   * @param progress gets each step, on the extension's thread
   * @param method what to call
   * @return the running call
   * @throws ExtensionException UNAVAILABLE if no such extension is loaded, or a credential of the
   *     host cannot be read
   */
  public <T> RunningCall<T> start(
      String extensionId,
      HostRef host,
      String name,
      CallLimits limits,
      Consumer<Progress> progress,
      Method<T> method)
      throws ExtensionException {
    SandboxExtension extension = find(extensionId);
    RunningCall<T> running =
        new RunningCall<>(
            extensionId + " " + name,
            credentials.resolve(host),
            limits,
            progress,
            call -> method.invoke(extension, call));
    running.start();
    return running;
  }

  /**
   * Makes any call but {@code provision} and waits for it.
   *
   * @param <T> the result
   * @param extensionId whom to call
   * @param host what the call is about; its credentials are resolved
   * @param name of the call, for logs and errors
   * @param limits how long it may take
   * @param method what to call
   * @return its result
   * @throws ExtensionException typed, see {@link RunningCall#await}
   */
  public <T> T call(
      String extensionId, HostRef host, String name, CallLimits limits, Method<T> method)
      throws ExtensionException {
    return start(extensionId, host, name, limits, step -> {}, method).await();
  }

  /**
   * Starts {@code provision}, if the breaker of extension and host lets it pass.
   *
   * @param extensionId whom to call
   * @param request what to make
   * @param limits how long it may take
   * @param progress gets each step, on the extension's thread
   * @return the running call
   * @throws ExtensionException UNAVAILABLE with nothing created while the breaker is open
   */
  public RunningCall<SandboxHandle> provision(
      String extensionId, ProvisionRequest request, CallLimits limits, Consumer<Progress> progress)
      throws ExtensionException {
    SandboxExtension extension = find(extensionId);
    HostRef host = credentials.resolve(request.host());
    ProvisionRequest complete = request.withHost(host);
    Breaker breaker = breakers.of(extensionId, host.id());
    if (!breaker.tryPass()) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE,
          "%s on host %s failed several times in a row and is left alone for a while"
              .formatted(extensionId, host.id()));
    }
    RunningCall<SandboxHandle> running =
        new RunningCall<>(
            extensionId + " provision",
            host,
            limits,
            progress,
            call -> extension.provision(complete, call));
    running.whenDone(thrown -> report(breaker, thrown));
    running.start();
    return running;
  }

  private static void report(Breaker breaker, @Nullable Throwable thrown) {
    switch (thrown) {
      case null -> breaker.succeeded();
      case RunningCall.CancelledException _ -> breaker.undecided();
      case ExtensionException e when !TROUBLE.contains(e.code()) -> breaker.undecided();
      default -> breaker.failed();
    }
  }

  private SandboxExtension find(String extensionId) throws ExtensionException {
    return registry
        .find(extensionId)
        .orElseThrow(
            () ->
                new ExtensionException(
                    ErrorCode.UNAVAILABLE,
                    Outcome.NOTHING_CREATED,
                    "extension " + extensionId + " is not loaded",
                    null));
  }
}
