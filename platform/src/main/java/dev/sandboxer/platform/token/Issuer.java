package dev.sandboxer.platform.token;

import dev.sandboxer.platform.id.SandboxId;

/**
 * The names in this installation's tokens.
 *
 * @param installation the installation's id
 */
public record Issuer(String installation) {

  /**
   * The issuer of every token.
   *
   * @return a URN
   */
  public String urn() {
    return "urn:sandboxer:" + installation;
  }

  /**
   * The audience of client tokens.
   *
   * @param sandboxId the sandbox's id
   * @return a URN
   */
  public static String clientAudience(SandboxId sandboxId) {
    return "urn:sandboxer:sandbox:" + sandboxId.publicId();
  }

  /**
   * The audience of relay tokens.
   *
   * @param sandboxId the sandbox's id
   * @return a URN
   */
  public static String boxdAudience(SandboxId sandboxId) {
    return "urn:sandboxer:boxd:" + sandboxId.publicId();
  }

  /**
   * The audience of tokens by which another node asks for a stream to a sandbox.
   *
   * @param node that is asked
   * @param sandboxId the sandbox's id
   * @return a URN
   */
  public static String peerAudience(String node, SandboxId sandboxId) {
    return "urn:sandboxer:node:" + node + ":" + sandboxId.publicId();
  }

  /**
   * The audience of passes for a port in a browser.
   *
   * @param sandboxId the sandbox's id
   * @param port inside
   * @return a URN
   */
  public static String portAudience(SandboxId sandboxId, int port) {
    return "urn:sandboxer:port:" + port + ":" + sandboxId.publicId();
  }
}
