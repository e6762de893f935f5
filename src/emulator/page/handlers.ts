// Handlers of /_emulator/ui: the page, its script and its styles.
import { notFound } from '../../kernel/errors.ts';
import { reply } from '../../kernel/http/reply.ts';
import type { Call, IncomingRequest, Reply } from '../../kernel/model.ts';
import { mayControl } from '../access.ts';
import { isBuilt, readPageFile } from './files.ts';

/** The path of the page, which other paths lead to. */
const pagePath = '/_emulator/ui/';

/**
 * The page runs its own script, talks to its own origin, and loads nothing else. No other page may
 * frame it.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** GET /_emulator/ui and /_emulator/ui/ */
export const show = (call: Call): Reply => fileReply(call, 'index.html');

/** GET /_emulator/ui/{file}: a file, or the page itself for the name of a view. @throws 404 */
export function showFile(call: Call): Reply {
  const name = call.params['file'] ?? '';
  return fileReply(call, name.includes('.') ? name : 'index.html');
}

function fileReply({ headers }: Call, name: string): Reply {
  const file = readPageFile(name);
  if (!file)
    throw notFound(
      isBuilt()
        ? `The page has no file ${name}.`
        : "The page is not built. Run 'npm run build' in the repository.",
    );
  const sent = {
    etag: file.etag,
    'cache-control': 'no-cache',
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
  if (headers['if-none-match'] === file.etag) return reply(304, undefined, sent);
  return reply(200, file.content, { ...sent, 'content-type': file.type });
}

/**
 * The redirection of a browser at `/` to the page; undefined for other clients, and for those that
 * the page could show nothing: it needs /_emulator.
 */
export function pageRedirect(request: IncomingRequest): Reply | undefined {
  if (!request.headers.accept?.includes('text/html') || !isBuilt()) return undefined;
  if (request.cloud.config.controlToken === undefined && !mayControl(request)) return undefined;
  return reply(302, undefined, { location: pagePath, vary: 'Accept' });
}
