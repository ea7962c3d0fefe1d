package dev.sandboxer.e2e;

import java.util.Set;
import java.util.stream.Stream;

/** Jails, seen by their control groups. */
record NsjailBackend() implements Backend {

  @Override
  public String profile() {
    return "local";
  }

  @Override
  public String extension() {
    return "ext.nsjail";
  }

  @Override
  public Set<String> objectsOf(String sandbox) {
    return Host.jailsOf(sandbox);
  }

  @Override
  public Stream<ProcessHandle> processesOf(String sandbox) {
    return Host.processesOf(sandbox);
  }

  @Override
  public void killFromOutside(String sandbox) {
    processesOf(sandbox)
        .filter(process -> Host.processes("nsjail").anyMatch(process::equals))
        .forEach(ProcessHandle::destroyForcibly);
  }

  @Override
  public String toString() {
    return "nsjail";
  }
}
