package dev.sandboxer.ssh.wire;

import com.hierynomus.sshj.key.KeyAlgorithms;
import com.hierynomus.sshj.transport.cipher.BlockCiphers;
import com.hierynomus.sshj.transport.cipher.GcmCiphers;
import com.hierynomus.sshj.transport.kex.DHGroups;
import com.hierynomus.sshj.transport.kex.ExtInfoClientFactory;
import com.hierynomus.sshj.transport.mac.Macs;
import java.security.Security;
import java.util.List;
import net.schmizz.keepalive.KeepAliveProvider;
import net.schmizz.sshj.DefaultConfig;
import net.schmizz.sshj.common.LoggerFactory;
import net.schmizz.sshj.common.SecurityUtils;
import net.schmizz.sshj.transport.kex.Curve25519SHA256;
import net.schmizz.sshj.transport.kex.ECDHNistP;
import org.slf4j.Logger;
import org.slf4j.helpers.NOPLogger;

/**
 * What we offer to a server: what OpenSSH offers too, and the JDK has built in. BouncyCastle is not
 * registered: the whole process would see it, and the JDK's AES uses the processor's instructions.
 * All that sshj logs is also thrown or of no use.
 */
final class ClientConfig extends DefaultConfig {

  ClientConfig() {
    setKeepAliveProvider(KeepAliveProvider.KEEP_ALIVE);
    setLoggerFactory(new Quiet());
  }

  static ClientConfig make() {
    SecurityUtils.setRegisterBouncyCastle(false);
    Security.addProvider(new EcdsaName());
    return new ClientConfig();
  }

  @Override
  protected void initKeyExchangeFactories() {
    setKeyExchangeFactories(
        List.of(
            new Curve25519SHA256.Factory(),
            new Curve25519SHA256.FactoryLibSsh(),
            new ECDHNistP.Factory256(),
            new ECDHNistP.Factory384(),
            new ECDHNistP.Factory521(),
            DHGroups.Group16SHA512(),
            new ExtInfoClientFactory()));
  }

  @Override
  protected void initKeyAlgorithms() {
    setKeyAlgorithms(
        List.of(
            KeyAlgorithms.EdDSA25519(),
            KeyAlgorithms.ECDSASHANistp256(),
            KeyAlgorithms.ECDSASHANistp384(),
            KeyAlgorithms.ECDSASHANistp521(),
            KeyAlgorithms.RSASHA512(),
            KeyAlgorithms.RSASHA256()));
  }

  @Override
  protected void initCipherFactories() {
    setCipherFactories(
        List.of(
            GcmCiphers.AES128GCM(),
            GcmCiphers.AES256GCM(),
            BlockCiphers.AES128CTR(),
            BlockCiphers.AES256CTR()));
  }

  @Override
  protected void initMACFactories() {
    setMACFactories(
        List.of(
            Macs.HMACSHA2256Etm(), Macs.HMACSHA2512Etm(), Macs.HMACSHA2256(), Macs.HMACSHA2512()));
  }

  static final class Quiet implements LoggerFactory {
    @Override
    public Logger getLogger(String name) {
      return NOPLogger.NOP_LOGGER;
    }

    @Override
    public Logger getLogger(Class<?> type) {
      return NOPLogger.NOP_LOGGER;
    }
  }
}
