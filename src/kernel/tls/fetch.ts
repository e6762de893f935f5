// fetch() for servers whose certificate comes from an authority that Node does not know.
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { resolve, join } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { loadHttps, loadTls } from '../lazy.ts';
import { userStateFolder } from '../user/state-folder.ts';

/**
 * fetch() that trusts more authorities than Node knows: those that emulators of this user have
 * made. It follows no redirects.
 * @param cacert the file with one more authority, in PEM
 * @throws Error with the next step if the file cannot be read; TypeError as fetch()
 */
export async function trustingFetch(
  url: string,
  init: RequestInit,
  cacert?: string,
): Promise<Response> {
  if (!url.startsWith('https:')) return fetch(url, init);
  const own = [...(cacert === undefined ? [] : [readAuthority(cacert)]), ...ownAuthorities()];
  if (!own.length) return fetch(url, init);
  const request = new Request(url, { ...init, duplex: 'half' } as RequestInit);
  const ca = [...loadTls().rootCertificates, ...own];
  const { method, signal } = request;
  const headers = Object.fromEntries(request.headers);
  const message = await new Promise<IncomingMessage>((done, fail) => {
    const sent = loadHttps().request(url, { method, headers, ca, signal, agent: false }, done);
    sent.once('error', (error) => fail(new TypeError('fetch failed', { cause: error })));
    if (request.body === null) sent.end();
    else Readable.fromWeb(request.body as ReadableStream).pipe(sent);
  });
  return responseOf(message);
}

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 200, statusMessage: statusText = '', headersDistinct } = message;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const isEmpty = [204, 205, 304].includes(status);
  if (isEmpty) message.resume();
  const body = isEmpty
    ? null
    : (Readable.toWeb(message) as unknown as ConstructorParameters<typeof Response>[0]);
  return new Response(body, { status, statusText, headers });
}

/** The authorities of emulators with `--tls`: of one in this folder, and of one of this user. */
function ownAuthorities(): string[] {
  const folders = [resolve('.cumulet'), userStateFolder()];
  return folders
    .map((folder) => join(folder, 'tls', 'ca.pem'))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'));
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(
      `The certificate of the authority cannot be read (${(error as Error).message}). Correct ` +
        '--cacert or OS_CACERT.',
      { cause: error },
    );
  }
}
