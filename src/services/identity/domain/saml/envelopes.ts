// The envelopes of SOAP in which clients carry messages.
import { element, type Xml } from '../../../../kernel/xml/build.ts';
import { declarations, nextActor } from './names.ts';

/** An envelope with some headers and a message. */
export const envelopeOf = (headers: readonly Xml[], message: Xml): Xml =>
  element(
    'soap:Envelope',
    declarations('soap'),
    element('soap:Header', {}, ...headers),
    element('soap:Body', {}, message),
  );

/** The attributes of a header that the next program must understand. */
export const understoodByNext = { 'soap:mustUnderstand': '1', 'soap:actor': nextActor };

/** What the service provider gets back with the response. */
export const relayState = (text: string): Xml =>
  element('ecp:RelayState', { ...declarations('ecp'), ...understoodByNext }, text);
