// Reads the messages of SOAP that clients bring.
import { badRequest } from '../../../../kernel/errors.ts';
import type { XmlElement } from '../../../../kernel/xml/dom.ts';
import { descendants, isNamed, parseXml, XmlError } from '../../../../kernel/xml/parse.ts';
import { qualified } from './names.ts';

/** An envelope of SOAP. @throws 400 */
export function messageIn(text: string): XmlElement {
  try {
    const root = parseXml(text);
    if (isNamed(root, qualified('soap:Envelope'))) return root;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw badRequest(`The body cannot be read. ${error.message}`);
  }
  throw badRequest('The body must be an envelope of SOAP 1.1.');
}

/** The only element along a path in an envelope. @throws 400 */
export function onlyOne(
  envelope: XmlElement,
  ...path: Parameters<typeof qualified>[0][]
): XmlElement {
  const [found, ...others] = descendants(envelope, ...path.map(qualified));
  if (!found || others.length) throw badRequest(`The envelope must have one ${path.join('/')}.`);
  return found;
}
