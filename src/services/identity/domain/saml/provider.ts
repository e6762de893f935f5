// The SAML identity providers for tests. Their users are those of the OpenID providers.
import { SECOND } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import { element, type Xml } from '../../../../kernel/xml/build.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { textIn } from '../../../../kernel/xml/parse.ts';
import type { OidcUser } from '../../model.ts';
import { envelopeOf, understoodByNext } from './envelopes.ts';
import { messageIn, onlyOne } from './messages.ts';
import { signingKey } from './keys.ts';
import { declarations, providerId, type Site } from './names.ts';
import { responseOf, type SamlAttribute } from './responses.ts';

/** For how many seconds a client can present an assertion. */
const lifetime = 300;

/** What a service provider asks for. */
export interface AuthenticationRequest {
  readonly id: string;
  readonly consumer: string;
  readonly audience: string;
}

/** Reads the request for an assertion that a client has got from a service provider. @throws 400 */
export function readRequest(text: string): AuthenticationRequest {
  const envelope = messageIn(text);
  const request = onlyOne(envelope, 'soap:Body', 'samlp:AuthnRequest');
  const issuer = onlyOne(envelope, 'soap:Body', 'samlp:AuthnRequest', 'saml:Issuer');
  const [id, consumer] = ['ID', 'AssertionConsumerServiceURL'].map((name) =>
    request.getAttribute(name),
  );
  if (!id || !consumer || !URL.canParse(consumer))
    throw badRequest('An AuthnRequest must have an ID and the AssertionConsumerServiceURL.');
  return { id, consumer, audience: textIn(issuer) };
}

/** An assertion about a user, in the envelope that the client takes to the service provider. */
export async function assertionOfUser(
  context: Context,
  site: Site,
  user: OidcUser,
  { id, consumer, audience }: AuthenticationRequest,
): Promise<Xml> {
  const content = {
    issuer: providerId(site, user.issuer),
    recipient: consumer,
    subject: user.name,
    attributes: Object.entries(user.claims).flatMap(attributeOf),
    issuedAt: context.now,
    expiresAt: context.now + lifetime * SECOND,
    audience,
    inResponseTo: id,
  };
  const header = element('ecp:Response', {
    ...declarations('ecp'),
    ...understoodByNext,
    AssertionConsumerServiceURL: consumer,
  });
  return envelopeOf([header], responseOf(content, await signingKey(context)));
}

/** The attribute of a claim, which has no value for null. */
function attributeOf([name, value]: [string, unknown]): SamlAttribute[] {
  if (value === null) return [];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return [[name, values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))]];
}
