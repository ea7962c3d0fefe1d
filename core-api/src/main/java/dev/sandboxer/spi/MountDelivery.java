package dev.sandboxer.spi;

/** How a folder of the platform's machine gets into a sandbox. */
public enum MountDelivery {
  /**
   * The backend mounts it, because it shares the platform's file system. The spec contains each
   * {@link Mount.HostFolder}.
   */
  BIND,
  /**
   * The platform copies it in through boxd before the sandbox is ready, and back at the end. The
   * backend never receives a {@link Mount.HostFolder}, and refuses one.
   */
  COPY
}
