// Tests of the commands `cumulet requests`, against a running emulator.
import { expect } from 'chai';
import { run, type Running } from '../../../src/server.ts';
import { configOf } from '../../../src/config.ts';
import {
  assertRequests,
  auditRequests,
  clearRequests,
  keepRequests,
  listRequests,
} from '../../../src/emulator/journal/commands.ts';
import { cumulet } from '../../kernel/processes.ts';

describe('cumulet requests', () => {
  let running: Running;
  before(async () => {
    const config = {
      port: 0,
      database: { kind: 'memory' },
      auth: 'noauth2',
      logLevel: 'silent',
      hosts: '0',
      journal: 10,
    } as const;
    running = await run(configOf(config));
  });
  after(() => running.stop());
  beforeEach(async () => {
    const url = running.origin;
    await keepRequests(10, { url });
    await clearRequests({ url });
    const headers = { 'x-auth-token': 'admin', 'user-agent': 'mine/1' };
    await fetch(`${url}/placement/resource_providers/x?a=b`, { headers });
    await fetch(`${url}/compute/v2.1/servers`, {
      headers: { ...headers, 'openstack-api-version': 'compute latest' },
    });
    await fetch(`${url}/compute/v2.1/os-networks`, { headers });
  });

  /** The output of a command. */
  async function printed(command: (reach: { url: string }) => Promise<void>): Promise<string> {
    const write = process.stdout.write.bind(process.stdout);
    let text = '';
    process.stdout.write = (chunk: unknown) => {
      text += String(chunk);
      return true;
    };
    try {
      await command({ url: running.origin });
    } finally {
      process.stdout.write = write;
    }
    return text;
  }
  const errorOf = (command: (reach: { url: string }) => Promise<void>): Promise<string> =>
    command({ url: running.origin }).then(
      () => 'nothing',
      (error: Error) => error.message,
    );

  it('list prints one request on each line, or JSON', async () => {
    const lines = (await printed((reach) => listRequests({ ...reach, limit: '100' }))).split('\n');
    const [id] = /^\d+/.exec(lines[0]!)!;
    expect(lines[0]).to.match(
      /^\d+ {2}\d\d:\d\d:\d\d\.\d{3} {2}GET {2}\/placement\/resource_providers\/x\?a=b {2}404 {2}resource_providers:show {2}1\.0 {2}admin@admin {2}[\d.]+ms$/,
    );
    expect(lines[1]).to.match(/ {2}200 {2}servers:list {2}[\d.]+ \(latest\) {2}/);
    const json = await printed((reach) =>
      listRequests({ ...reach, limit: '100', status: '404', json: true }),
    );
    expect((JSON.parse(json) as { id: number }[]).map((entry) => String(entry.id))).to.deep.equal([
      id,
    ]);
  });

  it('assert prints the result, or fails with the requests that were found', async () => {
    const result = await printed((reach) =>
      assertRequests({ ...reach, operation: 'servers:list', times: 1 }),
    );
    expect(result).to.equal('Expected 1 request to servers:list, found 1.\n');
    expect(
      await errorOf((reach) =>
        assertRequests({ ...reach, operation: 'servers:list', never: true }),
      ),
    ).to.match(
      /^Expected no requests to servers:list, found 1\. The requests are #\d+ GET \/compute\/v2\.1\/servers\.$/,
    );
  });

  it('versions prints a paragraph for each client', async () => {
    expect(await printed((reach) => auditRequests(reach))).to.match(
      /^compute {2}mine\/1 {2}2 requests, asked for none x1, latest x1\n {2}1 named no version, and got 2\.1: send one\.\n {2}networks:list at 2\.1 x1: gone since 2\.36 \(.*\)\n {2}1 more would be the same at [\d.]+\.\nplacement {2}mine\/1 {2}1 request, asked for none x1\n/,
    );
  });

  it('keep 0 switches the journal off', async () => {
    await keepRequests(0, { url: running.origin });
    expect(await errorOf((reach) => listRequests({ ...reach, limit: '1' }))).to.match(
      /^The journal is off\. Switch it on with/,
    );
  });

  it('cumulet exec switches the journal on', async () => {
    const ask =
      "fetch(process.env.CUMULET_URL + '/_emulator/requests').then(({ status }) => " +
      'console.log(status))';
    const { out } = await cumulet([
      'exec',
      '--auth',
      'noauth2',
      '--hosts',
      '0',
      '--',
      process.execPath,
      '-e',
      ask,
    ]).ended;
    expect(out).to.equal('200\n');
  });
});
