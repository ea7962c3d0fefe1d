package dev.sandboxer.platform.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Agroal 3.2 lets a thread that finds the pool growing look again and again without a pause. As
 * many virtual threads as there are carriers then keep the one from going on that makes the
 * connection, and all others with it, for ever.
 */
class PoolTest {

  @Test
  void manyVirtualThreadsAskASmallPoolAtOnce() throws Exception {
    AgroalDataSource source =
        AgroalDataSource.from(
            new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(
                    pool ->
                        pool.maxSize(4)
                            .acquisitionTimeout(Duration.ofSeconds(30))
                            .connectionFactoryConfiguration(
                                factory ->
                                    factory
                                        .jdbcUrl("jdbc:slow:")
                                        .connectionProviderClass(SlowDriver.class))));
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor(); // its close would hang
    Callable<Boolean> use =
        () -> {
          try (Connection connection = source.getConnection()) {
            return connection != null;
          }
        };
    List<Future<Boolean>> all =
        threads.invokeAll(Collections.nCopies(200, use), 20, TimeUnit.SECONDS);
    assertThat(all).allMatch(one -> one.state() == Future.State.SUCCESS);
    threads.shutdown();
    source.close();
  }

  /** Its connections take a while and do nothing. */
  public static final class SlowDriver implements Driver {

    @Override
    public Connection connect(String url, Properties info) throws SQLException {
      try {
        Thread.sleep(200);
      } catch (InterruptedException e) {
        throw new SQLException(e);
      }
      return (Connection)
          Proxy.newProxyInstance(
              Connection.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (_, method, _) -> nothing(method.getReturnType()));
    }

    private static @Nullable Object nothing(Class<?> type) {
      if (type == boolean.class) {
        return false;
      }
      return type == int.class ? 0 : null;
    }

    @Override
    public boolean acceptsURL(String url) {
      return true;
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
      return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
      return 1;
    }

    @Override
    public int getMinorVersion() {
      return 0;
    }

    @Override
    public boolean jdbcCompliant() {
      return false;
    }

    @Override
    public Logger getParentLogger() {
      return Logger.getGlobal();
    }
  }
}
