// A load generator: a fixed number of requests in flight from one process, over kept-alive
// connections if the server supports them.
import { Agent, request } from 'node:http';
import { hasWrk, readsPerSecond } from './wrk.ts';

export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly version?: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A server under test, as its clients see it. */
export interface Client {
  ask(ask: Ask): Promise<Answer>;
  /**
   * @throws Error if the status of the reply is not one of `statuses` (by default 200, 201, 202 and
   *   204)
   */
  must(ask: Ask, ...statuses: number[]): Promise<unknown>;
  /**
   * Reads a reply to its end without parsing it, so that the generator uses little CPU time.
   * @throws Error if its status is not 200
   */
  drain(path: string): Promise<void>;
  /**
   * Reads these paths in turn, with wrk if that is installed.
   * @returns requests per second
   */
  readsPerSecond(paths: readonly string[], inFlight: number, seconds: number): Promise<number>;
  close(): void;
}

interface Spoken {
  readonly service?: string;
  /** The microversion of requests that do not name one. */
  readonly newest?: string;
  /** Whether the server keeps connections alive. */
  readonly keepsConnections?: boolean;
  /** By default that of an administrator without Keystone. */
  readonly token?: string;
}

/** A client of one service, by default Placement. */
export function clientFor(
  origin: string,
  {
    service = 'placement',
    newest = '1.39',
    keepsConnections = true,
    token = 'admin:bench',
  }: Spoken = {},
): Client {
  const { hostname, port, pathname } = new URL(origin);
  const agent = new Agent({ keepAlive: keepsConnections, maxSockets: 64 });
  const ask = ({ method, path, body, version = newest }: Ask): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers: Record<string, string | number> = {
        'x-auth-token': token,
        accept: 'application/json',
        'openstack-api-version': `${service} ${version}`,
      };
      if (text !== undefined)
        Object.assign(headers, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        });
      const sent = request(
        { agent, hostname, port, path: pathname.replace(/\/$/, '') + path, method, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() }),
          );
          response.on('error', reject);
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
  const must = async (one: Ask, ...statuses: number[]): Promise<unknown> => {
    const answer = await ask(one);
    const fine = statuses.length ? statuses : [200, 201, 202, 204];
    if (!fine.includes(answer.status))
      throw new Error(`${one.method} ${one.path} -> ${answer.status} ${answer.text.slice(0, 400)}`);
    return answer.text ? (JSON.parse(answer.text) as unknown) : undefined;
  };
  const headers = {
    'x-auth-token': token,
    accept: 'application/json',
    'openstack-api-version': `${service} ${newest}`,
  };
  const drain = (path: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = request(
        { agent, hostname, port, path: pathname.replace(/\/$/, '') + path, headers },
        (response) => {
          if (response.statusCode !== 200)
            reject(new Error(`GET ${path} -> ${response.statusCode}`));
          response.resume();
          response.on('end', resolve);
        },
      );
      sent.on('error', reject);
      sent.end();
    });
  const readInTurn: Client['readsPerSecond'] = (paths, inFlight, seconds) =>
    hasWrk
      ? readsPerSecond({
          origin,
          headers: { ...headers, ...(keepsConnections ? {} : { connection: 'close' }) },
          paths: paths.map((path) => pathname.replace(/\/$/, '') + path),
          connections: inFlight,
          seconds,
        })
      : rate(inFlight, { seconds }, (index) => drain(paths[index % paths.length]!));
  return { ask, must, drain, readsPerSecond: readInTurn, close: () => agent.destroy() };
}

/**
 * Repeats `work` with a fixed number in flight, for a time or a number of repetitions.
 * @returns repetitions per second
 */
export async function rate(
  inFlight: number,
  until: { seconds: number } | { pieces: number },
  work: (index: number) => Promise<unknown>,
): Promise<number> {
  let index = 0;
  const began = performance.now();
  const goesOn = (): boolean =>
    'seconds' in until ? performance.now() - began < until.seconds * 1000 : index < until.pieces;
  const run = async (): Promise<void> => {
    while (goesOn()) await work(index++);
  };
  await Promise.all(Array.from({ length: inFlight }, run));
  return (index / (performance.now() - began)) * 1000;
}
