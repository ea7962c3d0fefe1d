package dev.sandboxer.platform.egress;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.signers.DSADigestSigner;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.crypto.signers.HMacDSAKCalculator;
import org.bouncycastle.operator.ContentSigner;

/** Signs with ECDSA as RFC 6979 has it: the same text gets the same signature. */
final class EcdsaSigner implements ContentSigner {

  private final ECPrivateKeyParameters key;
  private final ByteArrayOutputStream text = new ByteArrayOutputStream();

  EcdsaSigner(ECPrivateKeyParameters key) {
    this.key = key;
  }

  @Override
  public AlgorithmIdentifier getAlgorithmIdentifier() {
    return new AlgorithmIdentifier(X9ObjectIdentifiers.ecdsa_with_SHA256);
  }

  @Override
  public OutputStream getOutputStream() {
    return text;
  }

  @Override
  public byte[] getSignature() {
    DSADigestSigner signer =
        new DSADigestSigner(
            new ECDSASigner(new HMacDSAKCalculator(new SHA256Digest())), new SHA256Digest());
    signer.init(true, key);
    signer.update(text.toByteArray(), 0, text.size());
    return signer.generateSignature();
  }
}
