// A proxy between Blazar and its cloud that records Blazar's requests and the statuses of the
// replies.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Recorder {
  readonly origin: string;
  /** The number of replies by kind of call, such as `POST /compute/v2.1/flavors`, and status. */
  readonly calls: ReadonlyMap<string, ReadonlyMap<number, number>>;
  count(): number;
  /** The calls that got a server error. */
  failed(): string[];
  stop(): void;
}

/** The method and path, with `*` for variable parts, and the names of the query parameters. */
function kindOf(method: string, url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://cloud');
  const path = pathname
    .replaceAll(
      /\/(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|\d+|compute-\d+|CUSTOM_[A-Z0-9_]+)(?=\/|$)/g,
      '/*',
    )
    .replace(/(os-hypervisors|os-aggregates|flavors)\/(?!detail)[^/]+/, '$1/*');
  const query = [...new Set(searchParams.keys())].toSorted().join('&');
  return `${method} ${path}${query ? `?${query}` : ''}`;
}

/** The name of an action, from its body. */
function actionIn(body: string): string {
  try {
    return Object.keys(JSON.parse(body) as object)[0] ?? '';
  } catch {
    return '';
  }
}

/** Listens on a free port, and forwards all requests to the cloud. */
export async function startRecorder(cloud: string): Promise<Recorder> {
  const calls = new Map<string, Map<number, number>>();
  const server = createServer((incoming, reply) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const kind = kindOf(incoming.method!, incoming.url!);
      const whole = kind.endsWith('/action') ? `${kind} ${actionIn(body.toString())}` : kind;
      const options = { method: incoming.method!, headers: incoming.headers };
      const forwarded = request(cloud + incoming.url!, options, (response) => {
        const counts = calls.get(whole) ?? new Map<number, number>();
        calls.set(
          whole,
          counts.set(response.statusCode!, (counts.get(response.statusCode!) ?? 0) + 1),
        );
        reply.writeHead(response.statusCode!, response.headers);
        response.pipe(reply);
      });
      forwarded.on('error', (error) => reply.writeHead(502).end(error.message));
      forwarded.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    count: () =>
      [...calls.values()]
        .flatMap((counts) => [...counts.values()])
        .reduce((sum, one) => sum + one, 0),
    failed: () =>
      [...calls].flatMap(([kind, counts]) =>
        [...counts.keys()]
          .filter((status) => status >= 500)
          .map((status) => `${kind} with ${status}`),
      ),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
