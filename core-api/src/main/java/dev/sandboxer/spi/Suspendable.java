package dev.sandboxer.spi;

/** An extension whose sandboxes can be suspended with their processes or disks kept. */
public interface Suspendable {

  /**
   * Suspends. Idempotent.
   *
   * @param handle of a running sandbox
   * @param call deadline and cancellation
   * @return the handle to use from now on
   * @throws ExtensionException typed; the sandbox still runs unless the outcome is unknown
   */
  SandboxHandle suspend(SandboxHandle handle, Call call) throws ExtensionException;

  /**
   * Resumes. Idempotent.
   *
   * @param handle of a suspended sandbox
   * @param call deadline and cancellation
   * @return the handle and address to use from now on
   * @throws ExtensionException typed
   */
  Resumed resume(SandboxHandle handle, Call call) throws ExtensionException;

  /**
   * A resumed sandbox.
   *
   * @param handle to use from now on
   * @param reachability to use from now on
   */
  record Resumed(SandboxHandle handle, Reachability reachability) {}
}
