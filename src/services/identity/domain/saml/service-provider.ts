// Identity as a service provider for clients that are no browsers (ECP): it asks for an assertion,
// and takes it. In a real cloud, Apache does so, with mod_shib.
import { isoSeconds, SECOND, type Micros } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import { element, type Xml } from '../../../../kernel/xml/build.ts';
import type { XmlElement } from '../../../../kernel/xml/dom.ts';
import { descendants, textIn } from '../../../../kernel/xml/parse.ts';
import { readSigned, signValue } from '../auth/claims.ts';
import { envelopeOf, relayState, understoodByNext } from './envelopes.ts';
import { relayKey } from './keys.ts';
import {
  bindings,
  consumerUrl,
  declarations,
  namespaces,
  qualified,
  serviceProviderId,
  type Site,
} from './names.ts';
import { messageIn, onlyOne } from './messages.ts';
import { newId } from './responses.ts';
import { openSession } from './sessions.ts';
import { certificatesOf } from './trusted-providers.ts';
import { refused, verifiedStatement } from './verification.ts';

/** What a request for an assertion leaves with the client, who brings it back with the response. */
interface Relay {
  readonly requestId: string;
  /** Where the client wants to go. */
  readonly url: string;
  readonly expiresAt: Micros;
}

/** What the relay states of this service provider begin with, as those of Shibboleth. */
const relayPrefix = 'ss:mem:';

/** For how many seconds a client may take to get an assertion. */
const relayLifetime = 600;

/** A request for an assertion, which the client takes to an identity provider of its choice. */
export async function authenticationRequest(
  { db, now }: Context,
  site: Site,
  url: string,
): Promise<Xml> {
  const requestId = newId();
  const relay: Relay = { requestId, url, expiresAt: now + relayLifetime * SECOND };
  const state = await signValue(relay, await relayKey(db));
  const consumer = consumerUrl(site);
  const issuer = element('saml:Issuer', declarations('saml'), serviceProviderId(site));
  const paos = element('paos:Request', {
    ...declarations('paos'),
    ...understoodByNext,
    responseConsumerURL: consumer,
    service: namespaces.ecp,
  });
  const ecp = element(
    'ecp:Request',
    { ...declarations('ecp'), ...understoodByNext, IsPassive: '0' },
    issuer,
  );
  const message = element(
    'samlp:AuthnRequest',
    {
      ...declarations('samlp'),
      ID: requestId,
      Version: '2.0',
      IssueInstant: isoSeconds(now),
      AssertionConsumerServiceURL: consumer,
      ProtocolBinding: bindings.paos,
    },
    issuer,
    element('samlp:NameIDPolicy', { AllowCreate: '1' }),
  );
  return envelopeOf([paos, ecp, relayState(relayPrefix + state)], message);
}

/** A session, and where its client goes next. */
export interface OpenedSession {
  readonly id: string;
  readonly url: string;
}

/**
 * Takes the response of an identity provider, and opens a session for its user.
 * @throws 400 for a text that is no such message, 401 for a response that is not accepted
 */
export async function acceptResponse(
  context: Context,
  site: Site,
  text: string,
): Promise<OpenedSession> {
  const envelope = messageIn(text);
  const response = onlyOne(envelope, 'soap:Body', 'samlp:Response');
  const relay = await relayIn(context, envelope);
  const statement = await verifiedStatement(text, response, {
    consumer: consumerUrl(site),
    audience: serviceProviderId(site),
    now: context.now,
    requestId: relay?.requestId,
    certificatesOf: (issuer) => certificatesOf(context, issuer),
  });
  return { id: await openSession(context, statement), url: relay?.url ?? `${site}/v3` };
}

/** What the client has brought back; undefined if its response answers no request. @throws 401 */
async function relayIn({ db, now }: Context, envelope: XmlElement): Promise<Relay | undefined> {
  const [state] = descendants(envelope, qualified('soap:Header'), qualified('ecp:RelayState'));
  const text = state && textIn(state);
  if (!text?.startsWith(relayPrefix)) return undefined;
  const relay = await readSigned(text.slice(relayPrefix.length), await relayKey(db));
  if (relay === undefined) return undefined;
  if (now >= (relay as Relay).expiresAt) throw refused('the request that it answers has expired.');
  return relay as Relay;
}
