// Reads XML of clients, at bounded cost: no document type, so no entities of its own, and neither
// many nor deeply nested elements.
import { loadXmlDom } from '../lazy.ts';
import type { XmlElement, XmlNode } from './dom.ts';

/** Why a text is not accepted as XML. */
export class XmlError extends Error {}

const maxTags = 4000;
const maxDepth = 50;

const elementType = 1;

/** The root element of a document. @throws XmlError */
export function parseXml(text: string): XmlElement {
  if (/<!(?!--|\[CDATA\[)/.test(text)) throw new XmlError('It must not have a document type.');
  if (text.split('<', maxTags + 1).length > maxTags) throw new XmlError('It has too many tags.');
  const fail = (message: string): void => {
    throw new XmlError(`It is not well-formed XML: ${firstLine(message)}`);
  };
  const { DOMParser } = loadXmlDom();
  const parser = new DOMParser({ errorHandler: { warning: fail, error: fail, fatalError: fail } });
  const root = parsed(() => parser.parseFromString(text, 'text/xml')?.documentElement);
  if (!root) throw new XmlError('It is not well-formed XML.');
  if (depthOf(root) > maxDepth) throw new XmlError('It has too many levels.');
  return root;
}

/** @throws XmlError also for errors of the parser itself */
function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof XmlError
      ? error
      : new XmlError(`It is not well-formed XML: ${firstLine((error as Error).message)}`);
  }
}

const firstLine = (message: string): string => message.split('\n', 1)[0]!;

/** The number of levels, found without recursion. */
function depthOf(root: XmlNode): number {
  let [node, depth, deepest]: [XmlNode, number, number] = [root, 1, 1];
  for (;;) {
    if (node.firstChild) {
      node = node.firstChild;
      deepest = Math.max(deepest, ++depth);
      continue;
    }
    while (!node.nextSibling) {
      if (node === root || !node.parentNode) return deepest;
      node = node.parentNode;
      depth--;
      if (node === root) return deepest;
    }
    node = node.nextSibling;
  }
}

/** A name in a namespace. */
export interface QualifiedName {
  readonly namespace: string;
  readonly name: string;
}

/** Whether an element has that name. */
export const isNamed = (
  { localName, namespaceURI }: XmlElement,
  { namespace, name }: QualifiedName,
): boolean => localName === name && namespaceURI === namespace;

/** The children of an element that have that name. */
export function childrenOf(parent: XmlElement, wanted: QualifiedName): XmlElement[] {
  const found: XmlElement[] = [];
  for (let node = parent.firstChild; node; node = node.nextSibling) {
    const child = node as XmlElement;
    if (node.nodeType === elementType && isNamed(child, wanted)) found.push(child);
  }
  return found;
}

/** The descendants along a path of names, each of which may occur several times. */
export const descendants = (parent: XmlElement, ...path: QualifiedName[]): XmlElement[] =>
  path.reduce<XmlElement[]>(
    (parents, name) => parents.flatMap((one) => childrenOf(one, name)),
    [parent],
  );

/** The text of an element, without white space around it. */
export const textIn = ({ textContent }: XmlElement): string => (textContent ?? '').trim();
