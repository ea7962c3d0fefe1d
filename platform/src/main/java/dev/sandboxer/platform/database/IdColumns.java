package dev.sandboxer.platform.database;

import dev.sandboxer.platform.id.SandboxId;
import java.sql.Types;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.argument.AbstractArgumentFactory;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.config.ConfigRegistry;
import org.jdbi.v3.core.spi.JdbiPlugin;

/** Binds and reads ids that have a type of their own. */
final class IdColumns implements JdbiPlugin {

  @Override
  public void customizeJdbi(Jdbi jdbi) {
    var _ =
        jdbi.registerArgument(new SandboxIds())
            .registerColumnMapper(
                SandboxId.class,
                (row, column, _) -> {
                  String raw = row.getString(column);
                  return raw == null ? null : new SandboxId(raw);
                });
  }

  private static final class SandboxIds extends AbstractArgumentFactory<SandboxId> {

    SandboxIds() {
      super(Types.VARCHAR);
    }

    @Override
    protected Argument build(SandboxId value, ConfigRegistry config) {
      return (position, statement, _) -> statement.setString(position, value.raw());
    }
  }
}
