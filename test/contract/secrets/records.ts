// Collects everything that a cloud records or shows of requests: log, journal, metrics, error
// replies and the terminal. Secrets must be in none of them.
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { logRequest } from '../../../src/kernel/http/observers.ts';
import { isStream } from '../../../src/kernel/http/reply.ts';
import type { World } from '../../support/cloud.ts';
import { cumulet } from '../../kernel/processes.ts';

export interface Records {
  /** Stops collecting. */
  stop(): void;
  /** The texts of all records, by where they are. */
  read(): Promise<Readonly<Record<string, string>>>;
}

/** Collects what becomes of the requests from now on. The journal must be on. */
export function collectRecords(world: World): Records {
  const { cloud } = world;
  const [lines, replies]: string[][] = [[], []];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines!.push(line) });
  cloud.observers.push((request, reply, milliseconds, source) => {
    logRequest({ ...request, cloud: { ...cloud, log } }, reply, milliseconds, source);
    if (reply.status >= 400 && !isStream(reply.body))
      replies!.push(JSON.stringify([reply.headers, reply.body]));
  });
  return {
    stop: () => void cloud.observers.pop(),
    read: async () => {
      const { port } = world.server.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}`;
      const page = await world.http.get('/_emulator/requests?limit=1000&inside=any').expect(200);
      const rows = (await cloud.central.db('journal_requests').select()) as unknown;
      const listed = await cumulet(['requests', 'list', '--limit', '1000', '--url', url]).ended;
      return {
        log: lines!.join(''),
        journal: JSON.stringify([page.body, rows]),
        metrics: (await world.http.get('/_emulator/metrics').expect(200)).text,
        'error replies': replies!.join('\n'),
        terminal: listed.out + listed.err,
      };
    },
  };
}

/** Where which of these secrets are: `what in where`. */
export async function leaksOf(
  records: Records,
  secrets: ReadonlyMap<string, string>,
): Promise<string[]> {
  const texts = Object.entries(await records.read());
  return [...secrets].flatMap(([what, secret]) =>
    texts.filter(([, text]) => text.includes(secret)).map(([where]) => `${what} in ${where}`),
  );
}
