package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.id.SandboxId;
import java.security.cert.X509Certificate;
import org.junit.jupiter.api.Test;

class BoxdCertificatesTest {

  private static final SandboxId ID = new SandboxId("abcdefghij0123456789");

  @Test
  void a_pair_is_the_same_each_time_and_its_key_is_the_pin() throws Exception {
    BoxdCertificates.Pair pair = TestCertificates.ALL.pair(ID, 3);

    assertThat(TestCertificates.ALL.pair(ID, 3)).isEqualTo(pair);
    assertThat(pair.toString()).doesNotContain("KEY");
    X509Certificate certificate = (X509Certificate) TestCertificates.certificate(pair);
    certificate.verify(certificate.getPublicKey());
    certificate.checkValidity();
    assertThat(certificate.getPublicKey().getEncoded())
        .isEqualTo(TestCertificates.ALL.publicKey(ID, 3));
  }

  @Test
  void every_sandbox_and_generation_and_installation_has_a_key_of_its_own() {
    byte[] key = TestCertificates.ALL.publicKey(ID, 3);

    assertThat(TestCertificates.ALL.publicKey(ID, 4)).isNotEqualTo(key);
    assertThat(TestCertificates.ALL.publicKey(new SandboxId("b" + ID.raw().substring(1)), 3))
        .isNotEqualTo(key);
    assertThat(new BoxdCertificates(use -> new byte[32]).publicKey(ID, 3)).isNotEqualTo(key);
  }
}
