/**
 * What a backend adapter ("extension") implements, and the values that cross the border.
 *
 * <p>An extension is a folder of jars with one {@link dev.sandboxer.spi.SandboxExtensionProvider}
 * that {@link java.util.ServiceLoader} finds. Each extension has a class loader of its own that
 * shares only this package, JSpecify and the JDK with the platform. It logs through {@link
 * java.lang.System.Logger}.
 *
 * <p>The values get further components from release to release. An extension makes them with their
 * builders, factory and {@code with} methods, never with a constructor that is marked {@link
 * dev.sandboxer.spi.ForPlatform}; then a compiled extension keeps working.
 *
 * <p>The promises, numbered so that documents and tests can name them:
 *
 * <ol>
 *   <li><b>Threads.</b> Calls block. The platform makes them on virtual threads, several at once on
 *       one instance, for different sandboxes and for the same one. An extension is thread-safe and
 *       holds no lock over a slow operation of one sandbox that another sandbox's call needs.
 *   <li><b>Context class loader.</b> During each call it is the extension's own.
 *   <li><b>Deadline and cancellation.</b> Each call carries a {@link dev.sandboxer.spi.Call}. After
 *       its deadline, or once cancelled, the platform abandons the call, takes its outcome as
 *       {@link dev.sandboxer.spi.Outcome.Unknown} and interrupts the thread. The extension stops as
 *       soon as it can.
 *   <li><b>Identity.</b> {@link dev.sandboxer.spi.SandboxIdentity} is fixed before {@code
 *       provision} is called and stands, signed, on every object that the call makes.
 *   <li><b>Idempotency.</b> {@code provision} for one identity makes at most one sandbox, however
 *       often it is called. {@code teardown} of what is gone succeeds.
 *   <li><b>Outcomes.</b> Each failure says what it left: nothing, something with a handle, or
 *       unknown. Saying "nothing" while something remains is a leak and a defect.
 *   <li><b>Refusal instead of dropping.</b> What the descriptor does not declare fails with {@link
 *       dev.sandboxer.spi.ErrorCode#UNSUPPORTED}; a limit that cannot be enforced is refused or,
 *       where the request allows best effort, named in {@link
 *       dev.sandboxer.spi.Reachability#notEnforced()}.
 *   <li><b>Always allowed.</b> {@code teardown}, {@code inspect}, {@code find} and {@code
 *       inventory} may be called at any time, also for identities and handles made by an earlier
 *       version of the extension or an earlier run of the platform.
 *   <li><b>Foreign objects.</b> An extension never changes or removes an object that does not carry
 *       a valid signature of this installation.
 *   <li><b>Description.</b> The descriptor is the same on each call and says what is so: each
 *       declared power has its interface, and each optional interface is declared.
 *   <li><b>Readiness.</b> Once {@code waitReady} has returned, boxd answers at the address that it
 *       gave, as the sandbox of that identity.
 *   <li><b>Inspection.</b> {@code inspect} says what the backend sees: running, ended by itself
 *       with its remains still there, or gone. It says unknown rather than guess.
 *   <li><b>Inventory.</b> An inventory that calls itself complete names each object of this
 *       installation on the host exactly once, and no other.
 *   <li><b>Registry logins.</b> A login of {@link dev.sandboxer.spi.ProvisionRequest} goes to its
 *       own registry alone, and only to fetch the sandbox's image. It is kept nowhere, and an image
 *       that was fetched with a login is used for another sandbox only after the registry has
 *       allowed it for that one too.
 * </ol>
 */
@NullMarked
package dev.sandboxer.spi;

import org.jspecify.annotations.NullMarked;
