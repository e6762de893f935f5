// Tests of the flags of `cumulet requests`: what they ask of the journal, and what they refuse; and of what the commands print.
import { expect } from 'chai';
import { Command } from 'commander';
import {
  claimFrom,
  matchFrom,
  withClaimFlags,
  withMatchFlags,
  type ClaimOptions,
  type MatchOptions,
} from '../../src/journal-flags.ts';
import { cumulet } from './processes.ts';

describe('the flags of the journal', () => {
  const quiet = (): Command => new Command().exitOverride().configureOutput({ writeErr: () => {} });
  /** What is sent: what is undefined is left out. */
  const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  const matchOf = (...flags: string[]): unknown =>
    sent(matchFrom(withMatchFlags(quiet()).parse(flags, { from: 'user' }).opts<MatchOptions>()));
  const claimOf = (...flags: string[]): unknown =>
    sent(claimFrom(withClaimFlags(quiet()).parse(flags, { from: 'user' }).opts<ClaimOptions>()));

  it('say which requests', () => {
    const flags = '--service compute --region RegionOne --operation os-start --method POST --path /v2.1/** --project p --user u';
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
    expect(matchOf('--inside')).to.deep.equal({ inside: true });
    expect(matchOf('--version-asked', '')).to.deep.equal({ version_asked: '' });
    expect(matchOf()).to.deep.equal({});
  });

  it('say how many', () => {
    expect(claimOf('--operation', 'servers:create', '--body', '{"server": {}}', '--times', '2')).to.deep.equal({
      match: { operation: 'servers:create', body: { server: {} } },
      times: 2,
    });
    expect(claimOf('--at-least', '1', '--at-most', '3')).to.deep.equal({ match: {}, at_least: 1, at_most: 3 });
    expect(claimOf('--never')).to.deep.equal({ match: {}, never: true });
  });

  for (const [flags, says] of [
    [['--times', 'two'], /'two' is invalid\. A number is expected\./],
    [['--times', '-1'], /A number is expected\./],
    [['--body', '{'], /JSON is expected, such as/],
    [['--inside', 'some'], /Allowed choices are any\./],
    [['--stats', '404'], /unknown option '--stats'/],
  ] as const)
    it(`refuse ${flags.join(' ')}`, () => {
      expect(() => claimOf(...flags)).to.throw(says);
    });
});

describe('cumulet requests', () => {
  const script = [
    'requests() { "$CUMULET_NODE" --import tsx src/main.ts requests "$@" --url "$CUMULET_URL"; }',
    'curl() { "$CUMULET_NODE" -e "const [method, path] = process.argv.slice(1); fetch(process.env.CUMULET_URL + path, { method, headers: { \'user-agent\': \'mine/1\' } })" "$@"; }',
    'curl GET /placement/nowhere; curl DELETE /compute/',
    'requests; requests list --status 404 --json',
    'requests assert --status 404 --times 1; echo "ended with $?"',
    'requests assert --status 404 --never; echo "ended with $?"',
    'requests versions; requests clear; requests; requests keep 0; requests; echo "ended with $?"',
  ].join('\n');

  it('prints, asserts and switches off what exec has switched on', async () => {
    const env = { CUMULET_NODE: process.execPath };
    const { out, err, code } = await cumulet(['exec', '--auth', 'noauth2', '--hosts', '0', '--', 'sh', '-c', script], { env })
      .ended;
    expect(code).to.equal(0);
    expect(out).to.match(/^1 {2}\d\d:\d\d:\d\d\.\d{3} {2}GET {2}\/placement\/nowhere {2}401 {2}- {2}- {2}- {2}[\d.]+ms$/m);
    expect(out).to.match(/^2 {2}\S+ {2}DELETE {2}\/compute\/ {2}\d{3} {2}/m);
    expect(out).to.include('"user_agent": "mine/1"');
    expect(out.match(/ended with \d/g)).to.deep.equal(['ended with 0', 'ended with 1', 'ended with 1']);
    expect(err).to.match(/Expected no requests with status 40[14], found 1\. They are #\d /);
    expect(err).to.match(/The journal is off\. Switch it on with/);
  });
});
