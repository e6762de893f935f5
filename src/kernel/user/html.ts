// Pages of HTML that have no script and load nothing.
import { reply } from '../http/reply.ts';
import type { Reply } from '../model.ts';

/** A reply with a page. Its styles are inline, and its links lead anywhere. */
export const pageReply = (status: number, page: string, headers?: Reply['headers']): Reply =>
  reply(status, page, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
    ...headers,
  });

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A text in HTML, also in an attribute. */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>]/g, (found) => entities[found]!).replaceAll('"', '&quot;');
