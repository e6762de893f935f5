// Writes responses with a signed assertion. Upstream: SAMLGenerator in keystone/federation/idp.py.
import { isoMicros, isoSeconds, type Micros } from '../../../../kernel/clock.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import type { KeyPair } from '../../../../kernel/tls/certificates.ts';
import { element, type Xml } from '../../../../kernel/xml/build.ts';
import {
  bearer,
  declarations,
  entityFormat,
  passwordContext,
  success,
  uriFormat,
} from './names.ts';
import { signed } from './signatures.ts';

/** The values of an attribute. */
export type SamlAttribute = readonly [name: string, values: readonly string[]];

/** What an assertion says. */
export interface AssertionContent {
  readonly issuer: string;
  /** The URL to which the client presents the assertion. */
  readonly recipient: string;
  readonly subject: string;
  readonly attributes: readonly SamlAttribute[];
  readonly issuedAt: Micros;
  readonly expiresAt: Micros;
  /** The service provider that it is for. Keystone's own assertions do not say it. */
  readonly audience?: string;
  /** The id of the request that it answers. */
  readonly inResponseTo?: string;
}

/** A response of success with a signed assertion. */
export function responseOf(content: AssertionContent, pair: KeyPair): Xml {
  const { issuer, recipient, issuedAt, inResponseTo } = content;
  return element(
    'samlp:Response',
    {
      ...declarations('samlp', 'saml'),
      ID: newId(),
      Version: '2.0',
      IssueInstant: isoSeconds(issuedAt),
      Destination: recipient,
      InResponseTo: inResponseTo,
    },
    issuerElement(issuer),
    element('samlp:Status', {}, element('samlp:StatusCode', { Value: success })),
    signed(assertionOf(content), pair, 'after issuer'),
  );
}

/** An id of an element, which must not begin with a digit. */
export const newId = (): string => `_${newHexId()}`;

const issuerElement = (issuer: string): Xml =>
  element('saml:Issuer', { Format: entityFormat }, issuer);

function assertionOf(content: AssertionContent): Xml {
  const { issuer, issuedAt } = content;
  return element(
    'saml:Assertion',
    {
      ...declarations('saml'),
      ID: newId(),
      Version: '2.0',
      IssueInstant: isoSeconds(issuedAt),
    },
    issuerElement(issuer),
    subjectOf(content),
    ...conditionsOf(content),
    statementOf(content),
    element('saml:AttributeStatement', {}, ...content.attributes.map(attributeOf)),
  );
}

const subjectOf = ({ subject, recipient, expiresAt, inResponseTo }: AssertionContent): Xml =>
  element(
    'saml:Subject',
    {},
    element('saml:NameID', {}, subject),
    element(
      'saml:SubjectConfirmation',
      { Method: bearer },
      element('saml:SubjectConfirmationData', {
        NotOnOrAfter: isoMicros(expiresAt),
        Recipient: recipient,
        InResponseTo: inResponseTo,
      }),
    ),
  );

function conditionsOf({ audience, issuedAt, expiresAt }: AssertionContent): Xml[] {
  if (audience === undefined) return [];
  const times = { NotBefore: isoMicros(issuedAt), NotOnOrAfter: isoMicros(expiresAt) };
  const restriction = element(
    'saml:AudienceRestriction',
    {},
    element('saml:Audience', {}, audience),
  );
  return [element('saml:Conditions', times, restriction)];
}

const statementOf = ({ issuer, issuedAt, expiresAt }: AssertionContent): Xml =>
  element(
    'saml:AuthnStatement',
    {
      AuthnInstant: isoSeconds(issuedAt),
      SessionIndex: newHexId(),
      SessionNotOnOrAfter: isoMicros(expiresAt),
    },
    element(
      'saml:AuthnContext',
      {},
      element('saml:AuthnContextClassRef', {}, passwordContext),
      element('saml:AuthenticatingAuthority', {}, issuer),
    ),
  );

const attributeOf = ([name, values]: SamlAttribute): Xml =>
  element(
    'saml:Attribute',
    { Name: name, NameFormat: uriFormat },
    ...values.map((value) => element('saml:AttributeValue', stringType, value)),
  );

const stringType = {
  'xmlns:xs': 'http://www.w3.org/2001/XMLSchema',
  'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
  'xsi:type': 'xs:string',
};
