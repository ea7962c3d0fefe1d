package dev.sandboxer.dataplane.http;

import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A TLS context that can open no connection, for a client of plain addresses: making a real one is
 * the dearest part of its start.
 */
final class NoTls extends SSLContext {
  NoTls() {
    super(new Nothing(), null, "none");
  }

  private static final class Nothing extends SSLContextSpi {
    @Override
    protected void engineInit(
        KeyManager @Nullable [] keys,
        TrustManager @Nullable [] trust,
        @Nullable SecureRandom random) {}

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
      throw none();
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
      throw none();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
      throw none();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
      throw none();
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
      throw none();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
      throw none();
    }

    @Override
    protected SSLParameters engineGetDefaultSSLParameters() {
      return new SSLParameters();
    }

    @Override
    protected SSLParameters engineGetSupportedSSLParameters() {
      return new SSLParameters();
    }

    private static IllegalStateException none() {
      return new IllegalStateException("this client is for plain addresses only");
    }
  }
}
