// Verifies responses of identity providers. Only what a signature covers is read: the library gives
// it as a document of its own, so that nothing can be wrapped around it.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { parseIsoTime } from '../../../../kernel/oslo/isotime.ts';
import { unauthorized, type ApiError } from '../../../../kernel/errors.ts';
import { loadXmlCrypto } from '../../../../kernel/lazy.ts';
import type { XmlElement } from '../../../../kernel/xml/dom.ts';
import {
  childrenOf,
  descendants,
  isNamed,
  parseXml,
  textIn,
} from '../../../../kernel/xml/parse.ts';
import { bearer, qualified, success } from './names.ts';
import type { SamlAttribute } from './responses.ts';
import { enveloped, exclusive } from './signatures.ts';

/** What a service provider accepts. */
export interface Expected {
  /** The URL to which the client has sent the response. */
  readonly consumer: string;
  /** The name of the service provider. */
  readonly audience: string;
  readonly now: Micros;
  /** The id of the request that the client answers; undefined if there was none. */
  readonly requestId: string | undefined;
  /** The certificates of an issuer, in PEM; empty if it is not trusted. */
  readonly certificatesOf: (issuer: string) => Promise<readonly string[]>;
}

/** What a verified assertion says. */
export interface Statement {
  readonly issuer: string;
  readonly id: string;
  readonly subject: string | undefined;
  readonly attributes: readonly SamlAttribute[];
  /** When the assertion can no longer be presented. */
  readonly expiresAt: Micros;
}

/** By how much clocks may differ, as in a usual configuration of Shibboleth. */
const tolerance = 180 * SECOND;

const names = {
  assertion: qualified('saml:Assertion'),
  encrypted: qualified('saml:EncryptedAssertion'),
  issuer: qualified('saml:Issuer'),
  subject: qualified('saml:Subject'),
  confirmation: qualified('saml:SubjectConfirmation'),
  confirmationData: qualified('saml:SubjectConfirmationData'),
  conditions: qualified('saml:Conditions'),
  restriction: qualified('saml:AudienceRestriction'),
  audience: qualified('saml:Audience'),
  statement: qualified('saml:AttributeStatement'),
  attribute: qualified('saml:Attribute'),
  value: qualified('saml:AttributeValue'),
  signature: qualified('ds:Signature'),
  signedInfo: qualified('ds:SignedInfo'),
  reference: qualified('ds:Reference'),
  transforms: qualified('ds:Transforms'),
  transform: qualified('ds:Transform'),
};

/** An error that says why a response is not accepted. */
export const refused = (why: string): ApiError =>
  unauthorized(`The SAML response is not accepted: ${why}`);

/**
 * Verifies a response and its only assertion.
 * @param text the document that the response is in
 * @throws 401
 */
export async function verifiedStatement(
  text: string,
  response: XmlElement,
  expected: Expected,
): Promise<Statement> {
  checkStatus(response);
  const { consumer } = expected;
  const destination = response.getAttribute('Destination');
  if (destination && destination !== consumer)
    throw refused(`it is for ${destination}, not for ${consumer}.`);
  if (childrenOf(response, names.encrypted).length)
    throw refused('encrypted assertions are not supported.');
  const claimed = onlyAssertion(response);
  const issuer = issuerOf(claimed);
  const certificates = await expected.certificatesOf(issuer);
  if (!certificates.length)
    throw refused(`its issuer ${issuer} is not trusted. Register its metadata first.`);
  const holder = [claimed, response].find((one) => childrenOf(one, names.signature).length);
  if (!holder) throw refused('neither the assertion nor the response has a signature.');
  const assertion = assertionIn(signedElement(text, holder, certificates));
  if (issuerOf(assertion) !== issuer) throw refused('the issuers of its parts differ.');
  const expiresAt = confirmedUntil(assertion, expected);
  checkConditions(assertion, expected);
  return {
    issuer,
    id: assertion.getAttribute('ID'),
    subject: descendants(assertion, names.subject, qualified('saml:NameID')).map(textIn)[0],
    attributes: descendants(assertion, names.statement, names.attribute).flatMap(attributesOf),
    expiresAt: expiresAt + tolerance,
  };
}

/** @throws 401 with the status and the message of the identity provider */
function checkStatus(response: XmlElement): void {
  const [status] = childrenOf(response, qualified('samlp:Status'));
  const [code] = status ? childrenOf(status, qualified('samlp:StatusCode')) : [];
  const value = code?.getAttribute('Value') ?? '';
  if (value === success) return;
  const [message] = status ? childrenOf(status, qualified('samlp:StatusMessage')) : [];
  throw refused(`its status is ${value || 'missing'}${message ? ` (${textIn(message)})` : ''}.`);
}

function onlyAssertion(response: XmlElement): XmlElement {
  const [assertion, ...others] = childrenOf(response, names.assertion);
  if (!assertion || others.length) throw refused('it must have one assertion.');
  return assertion;
}

function issuerOf(assertion: XmlElement): string {
  const [issuer] = childrenOf(assertion, names.issuer);
  if (!issuer) throw refused('the assertion has no issuer.');
  return textIn(issuer);
}

/** The assertion in what is signed, which is the assertion itself or the response. */
const assertionIn = (element: XmlElement): XmlElement =>
  isNamed(element, names.assertion) ? element : onlyAssertion(element);

/**
 * The element that the signature of its child covers, read from the bytes that are signed.
 * @throws 401
 */
function signedElement(
  text: string,
  holder: XmlElement,
  certificates: readonly string[],
): XmlElement {
  const [signature, ...others] = childrenOf(holder, names.signature);
  if (!signature || others.length) throw refused('an element has more than one signature.');
  checkReferences(holder, signature);
  for (const certificate of certificates) {
    const part = verifiedPart(text, signature, certificate);
    if (part !== undefined) {
      const element = parseXml(part);
      if (!isNamed(element, { namespace: holder.namespaceURI!, name: holder.localName }))
        throw refused('the signature is of another element.');
      return element;
    }
  }
  throw refused('its signature is invalid, or by a key that is not in the metadata.');
}

/** Checks that a signature is of its parent alone, with the transforms that SAML allows. */
function checkReferences(holder: XmlElement, signature: XmlElement): void {
  const references = descendants(signature, names.signedInfo, names.reference);
  const transforms = references.flatMap((one) =>
    descendants(one, names.transforms, names.transform),
  );
  const isOfParent =
    references.length === 1 &&
    holder.getAttribute('ID') !== '' &&
    references[0]!.getAttribute('URI') === `#${holder.getAttribute('ID')}`;
  const algorithms = transforms.map((one) => one.getAttribute('Algorithm'));
  if (!isOfParent || algorithms.join(' ') !== `${enveloped} ${exclusive}`)
    throw refused(
      'a signature must be enveloped in what it signs, with exclusive canonicalization.',
    );
}

/** The bytes that are signed; undefined unless the key of the certificate has signed them. */
function verifiedPart(
  text: string,
  signature: XmlElement,
  certificate: string,
): string | undefined {
  const { SignedXml } = loadXmlCrypto();
  const check = new SignedXml({ publicCert: certificate });
  try {
    check.loadSignature(signature as never);
    return check.checkSignature(text) ? check.getSignedReferences()[0] : undefined;
  } catch {
    return undefined;
  }
}

/** When the bearer's right to present the assertion here ends. @throws 401 */
function confirmedUntil(assertion: XmlElement, { consumer, now, requestId }: Expected): Micros {
  const all = descendants(assertion, names.subject, names.confirmation).filter(
    (one) => one.getAttribute('Method') === bearer,
  );
  const [data] = all.flatMap((one) => childrenOf(one, names.confirmationData));
  if (!data) throw refused('the assertion is not for a bearer.');
  const recipient = data.getAttribute('Recipient');
  if (recipient !== consumer)
    throw refused(`the assertion is for ${recipient || 'no recipient'}, not for ${consumer}.`);
  if (data.getAttribute('InResponseTo') !== (requestId ?? ''))
    throw refused('it does not answer the request of this client.');
  const end = timeIn(data, 'NotOnOrAfter');
  if (end === undefined) throw refused('the assertion does not say when it expires.');
  checkTimes(data, now);
  return end;
}

/** @throws 401 if the conditions of an assertion do not hold */
function checkConditions(assertion: XmlElement, { audience, now }: Expected): void {
  for (const conditions of childrenOf(assertion, names.conditions)) {
    checkTimes(conditions, now);
    for (const restriction of childrenOf(conditions, names.restriction)) {
      const audiences = childrenOf(restriction, names.audience).map(textIn);
      if (!audiences.includes(audience))
        throw refused(`the assertion is for ${audiences.join(', ')}, not for ${audience}.`);
    }
  }
}

function checkTimes(element: XmlElement, now: Micros): void {
  const [start, end] = [timeIn(element, 'NotBefore'), timeIn(element, 'NotOnOrAfter')];
  if (start !== undefined && now < start - tolerance) throw refused('it is not valid yet.');
  if (end !== undefined && now >= end + tolerance) throw refused('it has expired.');
}

/** @throws 401 if an attribute is not a time */
function timeIn(element: XmlElement, name: string): Micros | undefined {
  if (!element.hasAttribute(name)) return undefined;
  const time = parseIsoTime(element.getAttribute(name));
  if (time === undefined) throw refused(`${name} is not a time.`);
  return time;
}

/** An attribute by its name, and by its friendly name, if it has one. */
function attributesOf(attribute: XmlElement): SamlAttribute[] {
  const values = childrenOf(attribute, names.value).map(textIn);
  const found = ['Name', 'FriendlyName'].map((name) => attribute.getAttribute(name));
  return [...new Set(found)].filter((name) => name !== '').map((name) => [name, values] as const);
}
