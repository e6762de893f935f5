// Tests of the flags of `cumulet requests`: what they ask of the journal, and what they refuse; and
// of what the commands print.
import { expect } from 'chai';
import { Command } from 'commander';
import {
  assertionFrom,
  matchFrom,
  withAssertionOptions,
  withMatchOptions,
  type AssertionOptions,
  type MatchOptions,
} from '../../../src/emulator/journal/options.ts';
import { run, type Running } from '../../../src/cli/server.ts';
import { configOf } from '../../../src/cli/config.ts';
import {
  assertRequests,
  auditRequests,
  clearRequests,
  keepRequests,
  listRequests,
} from '../../../src/emulator/journal/commands.ts';
import { cumulet } from '../../kernel/processes.ts';

describe('the flags of the journal', () => {
  const quiet = (): Command => new Command().exitOverride().configureOutput({ writeErr: () => {} });
  /** What is sent: what is undefined is left out. */
  const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  const matchOf = (...flags: string[]): unknown =>
    sent(matchFrom(withMatchOptions(quiet()).parse(flags, { from: 'user' }).opts<MatchOptions>()));
  const claimOf = (...flags: string[]): unknown =>
    sent(
      assertionFrom(
        withAssertionOptions(quiet()).parse(flags, { from: 'user' }).opts<AssertionOptions>(),
      ),
    );

  it('say which requests', () => {
    const flags =
      '--service compute --region RegionOne --operation os-start --method POST --path /v2.1/** --project p --user u';
    const more =
      '--min-version 2.1 --max-version 2.53 --version-asked latest --user-agent go --status 4xx --since 17 --inside any';
    expect(matchOf(...`${flags} ${more}`.split(' '))).to.deep.equal({
      service: 'compute',
      region: 'RegionOne',
      operation: 'os-start',
      method: 'POST',
      path: '/v2.1/**',
      project: 'p',
      user: 'u',
      min_version: '2.1',
      max_version: '2.53',
      version_asked: 'latest',
      user_agent: 'go',
      status: '4xx',
      since: '17',
      inside: 'any',
    });
    expect(matchOf('--internal')).to.deep.equal({ inside: true });
    expect(matchOf('--inside')).to.deep.equal({ inside: true });
    expect(matchOf('--requested-version', 'latest')).to.deep.equal({ version_asked: 'latest' });
    expect(matchOf('--version-asked', '')).to.deep.equal({ version_asked: '' });
    expect(matchOf()).to.deep.equal({});
  });

  it('say how many', () => {
    expect(
      claimOf('--operation', 'servers:create', '--body', '{"server": {}}', '--times', '2'),
    ).to.deep.equal({
      match: { operation: 'servers:create', body: { server: {} } },
      times: 2,
    });
    expect(claimOf('--at-least', '1', '--at-most', '3')).to.deep.equal({
      match: {},
      at_least: 1,
      at_most: 3,
    });
    expect(claimOf('--never')).to.deep.equal({ match: {}, never: true });
  });

  for (const [flags, says] of [
    [['--times', 'two'], /'two' is invalid\. Use a number, such as 2\./],
    [['--times', '-1'], /Use a number, such as 2\./],
    [['--body', '{'], /Use JSON, such as/],
    [['--inside', 'some'], /Allowed choices are any\./],
    [['--stats', '404'], /unknown option '--stats'/],
  ] as const)
    it(`refuse ${flags.join(' ')}`, () => {
      expect(() => claimOf(...flags)).to.throw(says);
    });
});

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

  /** What a command prints. */
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
  const refused = (command: (reach: { url: string }) => Promise<void>): Promise<string> =>
    command({ url: running.origin }).then(
      () => 'nothing',
      (error: Error) => error.message,
    );

  it('lists, one a line or as JSON', async () => {
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

  it('asserts, and tells what was found instead', async () => {
    const held = await printed((reach) =>
      assertRequests({ ...reach, operation: 'servers:list', times: 1 }),
    );
    expect(held).to.equal('Expected 1 request to servers:list, found 1.\n');
    expect(
      await refused((reach) =>
        assertRequests({ ...reach, operation: 'servers:list', never: true }),
      ),
    ).to.match(
      /^Expected no requests to servers:list, found 1\. They are #\d+ GET \/compute\/v2\.1\/servers\.$/,
    );
  });

  it('audits versions, a paragraph for each client', async () => {
    expect(await printed((reach) => auditRequests(reach))).to.match(
      /^compute {2}mine\/1 {2}2 requests, asked for none x1, latest x1\n {2}1 named no version, and got 2\.1: send one\.\n {2}networks:list at 2\.1 x1: gone since 2\.36 \(.*\)\n {2}1 more would be the same at [\d.]+\.\nplacement {2}mine\/1 {2}1 request, asked for none x1\n/,
    );
  });

  it('switches off', async () => {
    await keepRequests(0, { url: running.origin });
    expect(await refused((reach) => listRequests({ ...reach, limit: '1' }))).to.match(
      /^The journal is off\. Switch it on with/,
    );
  });

  it('has something to tell below exec, which switches the journal on', async () => {
    const ask =
      "fetch(process.env.CUMULET_URL + '/_emulator/requests').then(({ status }) => console.log(status))";
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
