package dev.sandboxer.platform.boot;

import dev.sandboxer.platform.installation.ListenAddress;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The settings of the listener, as the framework's configuration. */
final class HttpConfiguration {

  private final Settings settings;

  HttpConfiguration(Settings settings) {
    this.settings = settings;
  }

  Map<String, String> properties(boolean listening) {
    Map<String, String> all = new TreeMap<>();
    ListenAddress listen = settings.listen();
    all.put("quarkus.http.host-enabled", Boolean.toString(listening));
    all.put("quarkus.http.host", listen.host());
    settings.tls().ifPresentOrElse(tls -> encrypted(all, tls), () -> plain(all));
    List<String> proxies = settings.list(Setting.SANDBOXER_TRUSTED_PROXIES);
    if (settings.behindTlsProxy() && !proxies.isEmpty()) {
      all.put("quarkus.http.proxy.proxy-address-forwarding", "true");
      all.put("quarkus.http.proxy.trusted-proxies", String.join(",", proxies));
    }
    return all;
  }

  private void plain(Map<String, String> all) {
    all.put("quarkus.http.port", Integer.toString(settings.listen().port()));
  }

  private void encrypted(Map<String, String> all, Settings.Tls tls) {
    all.put("quarkus.http.insecure-requests", "disabled");
    all.put("quarkus.http.ssl-port", Integer.toString(settings.listen().port()));
    all.put("quarkus.http.ssl.certificate.files", tls.certificate().toString());
    all.put("quarkus.http.ssl.certificate.key-files", tls.key().toString());
  }
}
