// A load generator: so many requests in flight from one process, over connections that are kept
// where the peer keeps them.
import { Agent, request } from 'node:http';

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

/** One peer, as a client of it sees it. */
export interface Client {
  ask(ask: Ask): Promise<Answer>;
  /**
   * @throws Error for an answer that is not one of the statuses (200, 201, 202 and 204 where none
   *   are given)
   */
  must(ask: Ask, ...statuses: number[]): Promise<unknown>;
  /**
   * Reads an answer to its end without looking at it, so that the generator costs little.
   * @throws Error where it is not 200
   */
  drain(path: string): Promise<void>;
  close(): void;
}

interface Spoken {
  readonly service?: string;
  /** The version that is asked for where a request names none. */
  readonly newest?: string;
  /** Whether the peer answers several requests on one connection. */
  readonly keepsConnections?: boolean;
}

/**
 * A client of one service, Placement where nothing else is said. The caller is an administrator
 * without Keystone.
 */
export function clientFor(
  origin: string,
  { service = 'placement', newest = '1.39', keepsConnections = true }: Spoken = {},
): Client {
  const { hostname, port, pathname } = new URL(origin);
  const agent = new Agent({ keepAlive: keepsConnections, maxSockets: 64 });
  const ask = ({ method, path, body, version = newest }: Ask): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers: Record<string, string | number> = {
        'x-auth-token': 'admin:bench',
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
    'x-auth-token': 'admin:bench',
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
  return { ask, must, drain, close: () => agent.destroy() };
}

/**
 * Runs `work` over and over with so many in flight, for so many seconds or pieces; returns pieces a
 * second.
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
