package dev.sandboxer.e2e;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;

/** A backend that the suite runs on, and what this machine, not the platform, says is there. */
interface Backend {

  /** The ready profile that the suite asks for. */
  String profile();

  /** A ready profile of it whose sandboxes have Python. */
  default String profileWithPython() {
    return profile();
  }

  /** The id of its extension. */
  String extension();

  /** Puts what a platform needs for it into a new home. */
  default void prepare(Path home) throws IOException {}

  /** Has a platform that has become ready know of it; repeatable. */
  default void prepare(Platform platform) {}

  /**
   * What it made for a sandbox, jails or containers, running or not: {@code <raw
   * id>-<generation>-<attempt>}.
   */
  Set<String> objectsOf(String sandbox);

  /** Of these objects, those that have a folder in the platform's home. */
  default Set<String> withFolder(Set<String> objects) {
    return objects;
  }

  /** Processes of this machine that run in a sandbox, or ran in it when it was last looked at. */
  Stream<ProcessHandle> processesOf(String sandbox);

  /** Ends a sandbox behind the platform's back. */
  void killFromOutside(String sandbox);

  /** Ends the daemon in a sandbox, and nothing else. */
  default void killBoxd(String sandbox) {
    processesOf(sandbox)
        .filter(process -> Host.processes("serve").anyMatch(process::equals))
        .forEach(ProcessHandle::destroyForcibly);
  }
}
