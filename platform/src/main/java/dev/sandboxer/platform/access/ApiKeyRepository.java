package dev.sandboxer.platform.access;

import io.quarkus.hibernate.orm.panache.PanacheRepositoryBase;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;

/** The table {@code api_key}, each row with its tenant. */
@ApplicationScoped
class ApiKeyRepository implements PanacheRepositoryBase<ApiKeyEntity, String> {

  private static final String ALL = "from ApiKeyEntity k join fetch k.tenant ";
  private static final String END =
      "endedAt = cast(sql('clock_timestamp()') as Instant) where endedAt is null and ";

  Optional<ApiKeyEntity> findWithTenant(String id) {
    return find(ALL + "where k.id = ?1", id).singleResultOptional();
  }

  List<ApiKeyEntity> listOldestFirst() {
    return list(ALL + "order by k.createdAt, k.id");
  }

  /** By the database's clock; false if it has ended already, or is not there. */
  boolean end(String id) {
    return update(END + "id = ?1", id) == 1;
  }
}
