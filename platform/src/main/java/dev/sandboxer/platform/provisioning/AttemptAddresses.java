package dev.sandboxer.platform.provisioning;

import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxHandle;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** Where the boxd of an attempt is, also once its sandbox ends. */
@ApplicationScoped
class AttemptAddresses {

  private final Jdbi jdbi;
  private final Addresses addresses;
  private final Backends backends;

  AttemptAddresses(Jdbi jdbi, Addresses addresses, Backends backends) {
    this.jdbi = jdbi;
    this.addresses = addresses;
    this.backends = backends;
  }

  /** As the attempt keeps it, or as its backend says now where it cannot be kept. */
  DataplaneAddress of(Attempt attempt) throws ExtensionException {
    Optional<String> stored =
        jdbi.withHandle(
            open ->
                open.createQuery("select dataplane from attempt where id = :id")
                    .bind("id", attempt.id())
                    .mapTo(String.class)
                    .findOne());
    if (stored.isPresent() && !addresses.askedAgain(stored.get())) {
      return addresses.address(attempt.id(), stored.get()).orElseThrow();
    }
    SandboxHandle handle = Objects.requireNonNull(attempt.handle());
    DataplaneAddress address = backends.reach(attempt, handle).dataplane();
    if (address == null) {
      throw new ExtensionException(ErrorCode.UNAVAILABLE, "it says no address of boxd any more");
    }
    return address;
  }
}
