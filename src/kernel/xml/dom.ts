// The parts of the DOM of @xmldom/xmldom that are used. Its own types would declare the globals of
// browsers.

/** A node of a document. */
export interface XmlNode {
  readonly nodeType: number;
  readonly parentNode: XmlNode | null;
  readonly firstChild: XmlNode | null;
  readonly nextSibling: XmlNode | null;
}

/** An element of a document. */
export interface XmlElement extends XmlNode {
  readonly localName: string;
  readonly namespaceURI: string | null;
  readonly textContent: string | null;
  /** An attribute; empty if the element does not have it. */
  getAttribute(name: string): string;
  hasAttribute(name: string): boolean;
  /** The element in XML, with the namespaces that it needs. */
  toString(): string;
}

interface ErrorHandler {
  readonly warning: (message: string) => void;
  readonly error: (message: string) => void;
  readonly fatalError: (message: string) => void;
}

/** The library. */
export interface XmlDom {
  readonly DOMParser: new (options: { readonly errorHandler: ErrorHandler }) => {
    parseFromString(
      text: string,
      type: string,
    ): { readonly documentElement: XmlElement | null } | undefined;
  };
}
