// Tests of the journal with two processes on one MySQL database, across restarts, and when its
// table cannot be written.
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type Running } from '../../../src/server.ts';
import { configOf } from '../../../src/config.ts';
import type { Config } from '../../../src/kernel/settings.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { onTwoProcesses } from '../../support/processes.ts';
import { journalOf, type Shown } from './support.ts';

const json = { 'content-type': 'application/json' };

const call = async (
  origin: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: unknown }> => {
  const headers = { ...json, 'x-auth-token': 'admin' };
  const answer = await fetch(origin + path, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, body: text ? (JSON.parse(text) as unknown) : undefined };
};
const keep = (origin: string, number: number) =>
  call(origin, 'PUT', '/_emulator/requests', { keep: number });
const entries = async (origin: string, query = ''): Promise<readonly Shown[]> =>
  (
    (await call(origin, 'GET', `/_emulator/requests?limit=1000${query}`)).body as {
      requests: readonly Shown[];
    }
  ).requests;
const list = (origin: string, tag: string | number) =>
  call(origin, 'GET', `/placement/resource_providers?name=${tag}`);
const tags = async (origin: string): Promise<string[]> =>
  (await entries(origin)).map(({ query }) => query.slice('name='.length));

onTwoProcesses('the journal in two processes', ['--hosts', '0'], (origins) => {
  afterEach(() => keep(origins()[0], 0));

  /** The tags that a process reads, once the other process has written its entries. */
  const tagsOnce = async (origin: string, count: number): Promise<string[]> => {
    for (let times = 0; times < 100; times++) {
      const found = await tags(origin);
      if (found.length >= count) return found;
    }
    return tags(origin);
  };

  it('is switched on and off in both processes through either', async () => {
    const [one, two] = origins();
    for (const [at, other] of [
      [one, two],
      [two, one],
    ] as const) {
      await list(other, 'before');
      await keep(at, 100);
      await list(other, 'on');
      expect((await call(other, 'GET', '/nowhere')).status).to.equal(404);
      await list(at, 'too');
      expect(await tagsOnce(at, 3)).to.deep.equal(['on', '', 'too']);
      await keep(other, 0);
      expect((await call(at, 'GET', '/_emulator/requests')).status).to.equal(409);
    }
  });

  it('lists the requests to both in the order of their arrival', async () => {
    await keep(origins()[0], 1000);
    const asked = Array.from({ length: 40 }, (_, at) => String(at));
    for (const tag of asked) await list(origins()[Number(tag) % 2 === 0 ? 0 : 1], tag);
    expect(await tagsOnce(origins()[1], 40)).to.deep.equal(asked);
    const assertion = { sequence: [{ path: '/resource_providers' }, { service: 'placement' }] };
    expect(
      (await call(origins()[0], 'POST', '/_emulator/requests/assert', assertion)).status,
    ).to.equal(200);
  });

  it('records all concurrent requests, with unique numbers', async () => {
    await keep(origins()[0], 1000);
    await Promise.all(
      Array.from({ length: 200 }, (_, at) => list(origins()[at % 2 === 0 ? 0 : 1], at)),
    );
    expect(new Set(await tagsOnce(origins()[0], 200))).to.have.property('size', 200);
    expect(new Set((await entries(origins()[1])).map(({ id }) => id))).to.have.property(
      'size',
      200,
    );
  });

  it('is emptied for both, including entries that are being written', async () => {
    await keep(origins()[0], 1000);
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        Array.from({ length: 20 }, (_, at) => list(origins()[at % 2 === 0 ? 0 : 1], 'old')),
      );
      const [method, path] =
        round % 2 ? (['DELETE', 'requests'] as const) : (['POST', 'reset'] as const);
      expect((await call(origins()[0], method, `/_emulator/${path}`)).status).to.equal(204);
      await list(origins()[1], 'new');
      expect(await tagsOnce(origins()[0], 1)).to.deep.equal(['new']);
    }
  });
});

describe('the journal after a restart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
  const running: Running[] = [];
  const start = async (fields: Partial<Config> = {}): Promise<string> => {
    const database = { kind: 'sqlite', folder } as const;
    running.push(
      await run(
        configOf({ port: 0, database, auth: 'noauth2', logLevel: 'silent', hosts: '0', ...fields }),
      ),
    );
    return running.at(-1)!.origin;
  };
  const stop = async (): Promise<void> => {
    for (const one of running.splice(0)) await one.stop();
  };
  afterEach(stop);
  after(() => rmSync(folder, { recursive: true }));

  it('keeps its entries and its setting, unless --journal changes that', async () => {
    const first = await start({ journal: 10 });
    await list(first, 'a');
    await stop();
    const second = await start();
    await list(second, 'b');
    expect(await tags(second)).to.deep.equal(['a', 'b']);
    await stop();
    const third = await start({ journal: 0 });
    expect((await call(third, 'GET', '/_emulator/requests')).status).to.equal(409);
  });

  it('is off in a new cloud', async () => {
    const origin = await start({ database: { kind: 'memory' } });
    await list(origin, 'a');
    expect((await call(origin, 'GET', '/_emulator/requests')).status).to.equal(409);
    expect(await running[0]!.cloud.central.db('journal_requests').select()).to.deep.equal([]);
  });
});

onEachDatabase('a journal that cannot be written', { auth: 'noauth2' }, (world) => {
  it('fails no request, logs one warning, and resumes when it can', async () => {
    const journal = journalOf(world);
    const { cloud } = world;
    const warnings: string[] = [];
    const { warn } = cloud.log;
    cloud.log.warn = (_: unknown, text?: unknown) => void warnings.push(String(text));
    await journal.keep(10);
    await cloud.central.db.schema.renameTable('journal_requests', 'journal_gone');
    try {
      for (let times = 0; times < 3; times++) {
        await world.ask('placement', 'GET', '/placement/resource_providers').expect(200);
        await cloud.journal.flush();
      }
    } finally {
      await cloud.central.db.schema.renameTable('journal_gone', 'journal_requests');
      cloud.log.warn = warn;
    }
    expect(warnings).to.deep.equal([
      'the request journal cannot be written; entries are lost until the database accepts ' +
        'writes again',
    ]);
    await world.ask('placement', 'GET', '/placement/traits', { version: '1.6' }).expect(200);
    expect(await journal.lines()).to.deep.equal(['GET /placement/traits 200']);
    await journal.keep(0);
  });
});
