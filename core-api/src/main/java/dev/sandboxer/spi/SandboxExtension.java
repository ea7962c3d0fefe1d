package dev.sandboxer.spi;

import java.util.List;

/**
 * One backend. See the package for the promises (numbered) that every method keeps.
 *
 * <p>The order of calls for one sandbox: {@code provision}, {@code waitReady}, then any number of
 * {@code inspect} and the optional powers, at last {@code teardown}. After a crash of the platform
 * the next call may be any of {@code find}, {@code inspect}, {@code waitReady} or {@code teardown}.
 */
public interface SandboxExtension extends AutoCloseable {

  /**
   * Makes the sandbox of one identity and starts boxd in it. Idempotent: a second call with the
   * same identity returns the handle of the same sandbox or, where the first one did not complete,
   * completes or replaces it; there are never two.
   *
   * @param request what to make
   * @param call deadline, cancellation and progress
   * @return the handle; the platform stores it before it does anything else
   * @throws ExtensionException typed, with what it left behind
   */
  SandboxHandle provision(ProvisionRequest request, Call call) throws ExtensionException;

  /**
   * Waits until boxd can be reached. Does not talk to boxd: the platform does, and treats its
   * answers as hostile.
   *
   * @param handle from {@code provision}
   * @param call deadline, cancellation and progress
   * @return where the dataplane is
   * @throws ExtensionException if the sandbox ended or cannot be reached in time
   */
  Reachability waitReady(SandboxHandle handle, Call call) throws ExtensionException;

  /**
   * Says what became of a sandbox, from the backend's point of view, never from boxd's.
   *
   * @param handle from {@code provision}
   * @param call deadline and cancellation
   * @return {@link Inspection.Unknown} where the backend does not answer, never a guess
   * @throws ExtensionException if the handle cannot be read
   */
  Inspection inspect(SandboxHandle handle, Call call) throws ExtensionException;

  /**
   * Finds what an ambiguous {@code provision} left. Complete for {@link IdentityMode#UNIQUE_NAME};
   * for {@link IdentityMode#SEARCH} complete only after the descriptor's late-effect window.
   *
   * @param identity of the attempt
   * @param call deadline and cancellation
   * @return the handles, empty if nothing carries the identity
   * @throws ExtensionException with {@link ErrorCode#UNAVAILABLE} if the backend does not answer
   */
  List<SandboxHandle> find(SandboxIdentity identity, Call call) throws ExtensionException;

  /**
   * Removes everything that carries the identity or that the handle names. Idempotent; also clears
   * what a half-done {@code provision} left.
   *
   * @param target a handle or an identity
   * @param call deadline and cancellation
   * @return what was removed and what is left; {@link CleanupReport#clean()} only if the backend
   *     was seen clean
   * @throws ExtensionException with {@link ErrorCode#UNAVAILABLE} if the backend does not answer;
   *     the platform calls again later
   */
  CleanupReport teardown(TeardownTarget target, Call call) throws ExtensionException;

  /**
   * Lists what this installation has on one host. An empty page counts only if it is {@link
   * InventoryPage#complete() complete}.
   *
   * @param query host and cursor
   * @param call deadline and cancellation
   * @return one page
   * @throws ExtensionException with {@link ErrorCode#UNAVAILABLE} if the backend does not answer
   */
  InventoryPage inventory(InventoryQuery query, Call call) throws ExtensionException;

  /**
   * Estimates what a sandbox costs. A self-hosted backend without prices answers {@link
   * MeterQuote#free()}.
   *
   * @param query what would be made, for how long
   * @param call deadline and cancellation
   * @return decimal money, with its basis and how long it holds
   * @throws ExtensionException with {@link ErrorCode#UNAVAILABLE} if prices cannot be read
   */
  MeterQuote estimateCost(CostQuery query, Call call) throws ExtensionException;

  /**
   * Releases threads and connections of the adapter. Sandboxes stay. Called once, at the platform's
   * clean end; after a crash it is not called at all.
   */
  @Override
  void close();
}
