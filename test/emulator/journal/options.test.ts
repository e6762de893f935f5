// Tests of the options of `cumulet requests`: the matches and assertions that they describe, and
// their errors.
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

describe('options of cumulet requests', () => {
  const quiet = (): Command => new Command().exitOverride().configureOutput({ writeErr: () => {} });
  /** The request body, without undefined values. */
  const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  const matchOf = (...flags: string[]): unknown =>
    sent(matchFrom(withMatchOptions(quiet()).parse(flags, { from: 'user' }).opts<MatchOptions>()));
  const assertionOf = (...flags: string[]): unknown =>
    sent(
      assertionFrom(
        withAssertionOptions(quiet()).parse(flags, { from: 'user' }).opts<AssertionOptions>(),
      ),
    );

  it('describe the requests to select', () => {
    const flags =
      '--service compute --region RegionOne --operation os-start --method POST --path ' +
      '/v2.1/** --project p --user u';
    const more =
      '--min-version 2.1 --max-version 2.53 --version-asked latest --user-agent go ' +
      '--status 4xx --since 17 --inside any';
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

  it('describe the expected number of requests', () => {
    expect(
      assertionOf('--operation', 'servers:create', '--body', '{"server": {}}', '--times', '2'),
    ).to.deep.equal({
      match: { operation: 'servers:create', body: { server: {} } },
      times: 2,
    });
    expect(assertionOf('--at-least', '1', '--at-most', '3')).to.deep.equal({
      match: {},
      at_least: 1,
      at_most: 3,
    });
    expect(assertionOf('--never')).to.deep.equal({ match: {}, never: true });
  });

  for (const [flags, message] of [
    [['--times', 'two'], /'two' is invalid\. Use a number, such as 2\./],
    [['--times', '-1'], /Use a number, such as 2\./],
    [['--body', '{'], /Use JSON, such as/],
    [['--inside', 'some'], /Allowed choices are any\./],
    [['--stats', '404'], /unknown option '--stats'/],
  ] as const)
    it(`are rejected: ${flags.join(' ')}`, () => {
      expect(() => assertionOf(...flags)).to.throw(message);
    });
});
