package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.model.BindPropagation;

/** Where boxd's files are, as the Engine sees them. */
sealed interface BoxdFiles {

  /** The binary. */
  String boxd();

  /** The names that are known inside. */
  String hosts();

  /** How mounts of these files go on. */
  BindPropagation propagation();

  /**
   * On the platform's machine.
   *
   * @param boxd the binary
   * @param config boxd's
   * @param hosts the names that are known inside
   * @param shared the socket's folder
   * @param propagation of the mounts
   */
  record Here(String boxd, String config, String hosts, String shared, BindPropagation propagation)
      implements BoxdFiles {}

  /**
   * In a volume of the Engine. The config is part of the command line, and the socket has no file.
   *
   * @param boxd the binary
   * @param hosts the names that are known inside
   */
  record There(String boxd, String hosts) implements BoxdFiles {

    /** An Engine wants its own data folder's to follow the machine's. */
    @Override
    public BindPropagation propagation() {
      return BindPropagation.R_SLAVE;
    }
  }
}
