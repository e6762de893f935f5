// The identity providers whose assertions are accepted: this cloud, with its identity providers for
// tests, and those whose metadata an operator has registered.
import { X509Certificate } from 'node:crypto';
import { writeInCentral } from '../../../../kernel/context.ts';
import { badRequest, conflict, notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { pemOf } from '../../../../kernel/tls/der.ts';
import type { XmlElement } from '../../../../kernel/xml/dom.ts';
import { descendants, isNamed, parseXml, textIn, XmlError } from '../../../../kernel/xml/parse.ts';
import * as store from '../../store/saml/providers.ts';
import type { SamlProvider } from '../../model.ts';
import { refuseOnDuplicate } from '../refusals.ts';
import { signingKey } from './keys.ts';
import { qualified } from './names.ts';

/**
 * The certificates of an issuer, in PEM. What the key of this cloud has signed has its true issuer,
 * unless another provider has registered that name.
 */
export async function certificatesOf(context: Context, issuer: string): Promise<readonly string[]> {
  const registered = await store.findSamlProvider(context.db, issuer);
  return registered?.certificates ?? [(await signingKey(context)).cert];
}

/** Registers a provider by its metadata, or replaces the one of that name. @throws 400, 409 */
export async function setSamlProvider(
  context: Context,
  name: string,
  metadata: string,
): Promise<SamlProvider> {
  if (name.length > 64) throw badRequest('The name of a provider has at most 64 characters.');
  const provider = { name, ...readMetadata(metadata) };
  const taken = () => conflict(`Another provider has the entity id ${provider.entityId}.`);
  await writeInCentral(context, ({ db }) =>
    refuseOnDuplicate(store.setSamlProvider(db, provider), taken),
  );
  return provider;
}

/** Deletes a provider. @throws 404 */
export async function deleteSamlProvider(context: Context, name: string): Promise<void> {
  const isDeleted = await writeInCentral(context, ({ db }) => store.deleteSamlProvider(db, name));
  if (!isDeleted) throw notFound(`There is no SAML provider ${name}.`);
}

/** The name and the certificates in the metadata of an identity provider. @throws 400 */
function readMetadata(text: string): Omit<SamlProvider, 'name'> {
  const root = rootOf(text);
  const entityId = root.getAttribute('entityID');
  if (!entityId || entityId.length > 255)
    throw invalid('it must have an entityID of up to 255 characters.');
  const keys = descendants(root, qualified('md:IDPSSODescriptor'), qualified('md:KeyDescriptor'));
  const certificates = keys
    .filter((key) => ['', 'signing'].includes(key.getAttribute('use')))
    .flatMap((key) =>
      descendants(
        key,
        qualified('ds:KeyInfo'),
        qualified('ds:X509Data'),
        qualified('ds:X509Certificate'),
      ),
    )
    .map((one) => certificateOf(textIn(one)));
  if (!certificates.length)
    throw invalid('it must have an IDPSSODescriptor with a certificate for signatures.');
  return { entityId, certificates };
}

function rootOf(text: string): XmlElement {
  try {
    const root = parseXml(text);
    if (isNamed(root, qualified('md:EntityDescriptor'))) return root;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw invalid(error.message);
  }
  throw invalid('its root must be an EntityDescriptor.');
}

/** A certificate of a key that the supported signatures are made with, in PEM. @throws 400 */
function certificateOf(base64: string): string {
  const pem = pemOf(Buffer.from(base64, 'base64'));
  try {
    if (new X509Certificate(pem).publicKey.asymmetricKeyType === 'rsa') return pem;
  } catch {
    // The error of OpenSSL says less than the one below.
  }
  throw invalid('a certificate in it is not one of an RSA key.');
}

const invalid = (why: string) => badRequest(`The metadata cannot be used: ${why}`);
