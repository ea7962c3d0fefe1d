package dev.sandboxer.tck.sample;

import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.SandboxIdentity;
import java.nio.file.Path;
import java.time.InstantSource;

/** Passes every call on to the lent context; a broken sample overrides what it does not heed. */
class OtherContext implements ExtensionContext {
  private final ExtensionContext inner;

  OtherContext(ExtensionContext inner) {
    this.inner = inner;
  }

  @Override
  public String installation() {
    return inner.installation();
  }

  @Override
  public Path stateFolder() {
    return inner.stateFolder();
  }

  @Override
  public Path runFolder() {
    return inner.runFolder();
  }

  @Override
  public Path toolsFolder() {
    return inner.toolsFolder();
  }

  @Override
  public Path boxd(String os, String arch) {
    return inner.boxd(os, arch);
  }

  @Override
  public String setting(String name) {
    return inner.setting(name);
  }

  @Override
  public String sign(SandboxIdentity identity) {
    return inner.sign(identity);
  }

  @Override
  public boolean verify(SandboxIdentity identity, String signature) {
    return inner.verify(identity, signature);
  }

  @Override
  public InstantSource clock() {
    return inner.clock();
  }
}
