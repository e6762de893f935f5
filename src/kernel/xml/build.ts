// Writes XML. Texts are escaped, so that only `element` makes markup.

/** Markup, as opposed to a text that has to be escaped. */
export interface Xml {
  readonly markup: string;
}

type Attributes = Readonly<Record<string, string | undefined>>;

/** An element. Attributes that are undefined are left out. */
export function element(
  name: string,
  attributes: Attributes,
  ...content: readonly (Xml | string)[]
): Xml {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? '' : ` ${key}="${escaped(value)}"`,
  );
  const inner = content.map((one) => (typeof one === 'string' ? escaped(one) : one.markup));
  return { markup: `<${name}${written.join('')}>${inner.join('')}</${name}>` };
}

/** A document in UTF-8. */
export const documentOf = ({ markup }: Xml): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${markup}`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Characters that XML cannot have, even as references, become U+FFFD. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll(/[&<>"\t\n\r]/g, (found) => entities[found]!);
