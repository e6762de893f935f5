// Tests of the options of `cumulet fault add`: the rule that they describe, and their errors.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { parse } from 'yaml';
import {
  faultOptions,
  planFrom,
  withFaultOptions,
  type FaultOptions,
} from '../../../src/emulator/fault-injection/options.ts';

interface Schema {
  readonly properties: Readonly<Record<string, object>>;
}

interface Json {
  readonly schema: Schema;
}

describe('options of cumulet fault add', () => {
  /** The request body, without undefined values. */
  const planOf = (...flags: string[]): unknown => {
    const command = withFaultOptions(
      new Command().exitOverride().configureOutput({ writeErr: () => {} }),
    );
    command.parse(flags, { from: 'user' });
    return JSON.parse(JSON.stringify(planFrom(command.opts<FaultOptions>())));
  };

  it('describe the requests that the rule matches', () => {
    const flags =
      '--service compute --region RegionOne --operation os-start --method POST --path /v2.1/** --project p --user u';
    const more =
      '--min-version 2.1 --max-version 2.53 --header user-agent=go/1 --header accept=json --internal --drop';
    expect(planOf(...`${flags} ${more}`.split(' '))).to.deep.equal({
      match: {
        service: 'compute',
        region: 'RegionOne',
        operation: 'os-start',
        method: 'POST',
        path: '/v2.1/**',
        project: 'p',
        user: 'u',
        min_version: '2.1',
        max_version: '2.53',
        headers: { 'user-agent': 'go/1', accept: 'json' },
        inside: true,
      },
      effect: { drop: true },
    });
  });

  it('include the former name of --internal', () => {
    expect(planOf('--inside', '--drop')).to.deep.equal({
      match: { inside: true },
      effect: { drop: true },
    });
  });

  it('describe the effect and how often it applies', () => {
    const effect = [
      '--status',
      '429',
      '--message',
      'Slow down.',
      '--code',
      'a.b',
      '--response-header',
      'retry-after=3',
    ];
    const often = [
      '--delay',
      '1.5s',
      '--after',
      '--count',
      '1',
      '--skip',
      '2',
      '--probability',
      '0.5',
      '--seed',
      'a',
    ];
    expect(planOf(...effect, ...often)).to.deep.equal({
      match: {},
      effect: {
        status: 429,
        message: 'Slow down.',
        code: 'a.b',
        headers: { 'retry-after': '3' },
        delay_ms: 1500,
        when: 'after',
      },
      count: 1,
      skip: 2,
      probability: 0.5,
      seed: 'a',
    });
  });

  const invalid: readonly (readonly [flags: readonly string[], message: RegExp])[] = [
    [['--status', 'five'], /'five' is invalid\. Use a number\./],
    [['--count', ''], /Use a number\./],
    [
      ['--header', 'user-agent'],
      /'user-agent' is invalid\. Use NAME=VALUE, such as retry-after=3\./,
    ],
    [['--delay', 'long'], /'long' is invalid\. Use a number with a unit/],
    [['--stats', '503'], /unknown option '--stats'/],
  ];
  for (const [flags, message] of invalid) {
    it(`are rejected: ${flags.join(' ')}`, () => {
      expect(() => planOf(...flags)).to.throw(message);
    });
  }

  describe('faultOptions', () => {
    const { paths, components } = parse(readFileSync('api-ref/emulator.yaml', 'utf8')) as {
      paths: Record<'/faults', { post: { requestBody: { content: Record<string, Json> } } }>;
      components: { schemas: Record<'FaultMatch' | 'FaultEffect', Schema> };
    };
    const { schema } = paths['/faults'].post.requestBody.content['application/json']!;
    const { match: _match, effect: _effect, ...frequency } = schema.properties;
    const documented: Readonly<Record<keyof typeof faultOptions, object>> = {
      match: components.schemas.FaultMatch.properties,
      effect: components.schemas.FaultEffect.properties,
      frequency,
    };
    for (const [part, properties] of Object.entries(documented)) {
      it(`cover all properties of ${part} in api-ref`, () => {
        const covered = Object.keys(faultOptions[part as keyof typeof faultOptions]);
        expect(covered).to.have.members(Object.keys(properties));
      });
    }
  });
});
