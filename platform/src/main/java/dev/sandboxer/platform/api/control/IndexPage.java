package dev.sandboxer.platform.api.control;

import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/** {@code GET /} for a browser: what this is, whether it is well, and where to go on. */
final class IndexPage {

  private static final String POLICY =
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action"
          + " 'none'; frame-ancestors 'none'";

  private static final String PAGE =
      """
      <!doctype html>
      <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Sandboxer</title>
        <link rel="icon" href="data:,">
        <style>
          body { font: 1rem/1.6 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; color: #222; }
          h1 small { font-weight: normal; color: #666; font-size: 1rem; }
          .up { color: #07702a; } .down { color: #a00; }
          code { background: #f2f2f2; padding: .1rem .3rem; border-radius: .2rem; }
        </style>
      </head>
      <body>
        <h1>Sandboxer <small>VERSION</small></h1>
        <p>One service that makes sandboxes on any backend: ask for a profile, get a short-lived token and one dataplane
          for commands, shells, files, processes and ports.</p>
        <p>Health: HEALTH (<a href="/v1/health/ready">details</a>)</p>
        <ul>
          EXPLORER
          <li><a href="/.well-known/jwks.json">Keys</a> that tokens are checked with</li>
          <li>Guides: <code>docs/</code> of the source, first <code>docs/quickstart.md</code></li>
        </ul>
        <p>Programs send a key, <code>Authorization: Bearer sbxk_...</code>, and get JSON here.
          On the machine that runs this, <code>./sandboxer run -- echo hello</code> makes a first sandbox.</p>
      </body>
      </html>
      """;

  /**
   * The page.
   *
   * @param version of the platform
   * @param ready whether requests can be served
   * @param explorer whether the API explorer is served
   * @return as a browser takes it
   */
  Response reply(String version, boolean ready, boolean explorer) {
    String page =
        PAGE.replace("VERSION", version)
            .replace(
                "HEALTH", ready ? "<b class=\"up\">ready</b>" : "<b class=\"down\">not ready</b>")
            .replace(
                "EXPLORER",
                explorer
                    ? "<li><a href=\"/docs\">API explorer</a>: every call, to look at and try</li>"
                    : "<li>API: <code>GET /v1/openapi</code> with an operator's key</li>");
    return Response.ok(page, MediaType.TEXT_HTML + ";charset=utf-8")
        .header("Content-Security-Policy", POLICY)
        .header("X-Content-Type-Options", "nosniff")
        .header("Cache-Control", "no-cache")
        .build();
  }
}
