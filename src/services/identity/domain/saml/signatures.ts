// Signs elements of XML.
import { loadXmlCrypto } from '../../../../kernel/lazy.ts';
import type { KeyPair } from '../../../../kernel/tls/certificates.ts';
import type { Xml } from '../../../../kernel/xml/build.ts';

export const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256';

/**
 * An element with a signature in it. The element must have an attribute ID.
 * @param place where the schema has the signature: after the issuer, or first
 */
export function signed({ markup }: Xml, pair: KeyPair, place: 'after issuer' | 'first'): Xml {
  const { SignedXml } = loadXmlCrypto();
  const signature = new SignedXml({
    privateKey: pair.key,
    publicCert: pair.cert,
    signatureAlgorithm: rsaSha256,
    canonicalizationAlgorithm: exclusive,
  });
  signature.addReference({
    xpath: '/*',
    digestAlgorithm: sha256,
    transforms: [enveloped, exclusive],
  });
  const location =
    place === 'first'
      ? ({ reference: '/*', action: 'prepend' } as const)
      : ({ reference: "/*/*[local-name(.)='Issuer']", action: 'after' } as const);
  signature.computeSignature(markup, { prefix: 'ds', location });
  return { markup: signature.getSignedXml() };
}
