package dev.sandboxer.platform.token;

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
   * @param sandboxId the raw id
   * @return a URN
   */
  public static String clientAudience(String sandboxId) {
    return "urn:sandboxer:sandbox:sb_" + sandboxId;
  }

  /**
   * The audience of relay tokens.
   *
   * @param sandboxId the raw id
   * @return a URN
   */
  public static String boxdAudience(String sandboxId) {
    return "urn:sandboxer:boxd:sb_" + sandboxId;
  }

  /**
   * The audience of tokens by which another node asks for a stream to a sandbox.
   *
   * @param node that is asked
   * @param sandboxId the raw id
   * @return a URN
   */
  public static String peerAudience(String node, String sandboxId) {
    return "urn:sandboxer:node:" + node + ":sb_" + sandboxId;
  }

  /**
   * The audience of passes for a port in a browser.
   *
   * @param sandboxId the raw id
   * @param port inside
   * @return a URN
   */
  public static String portAudience(String sandboxId, int port) {
    return "urn:sandboxer:port:" + port + ":sb_" + sandboxId;
  }
}
