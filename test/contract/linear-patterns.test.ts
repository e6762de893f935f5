// Tests that matching of client input takes time linear in its length, with long repeated strings
// that expose quadratic patterns.
import { expect } from 'chai';
import { pathMatches } from '../../src/kernel/path-pattern.ts';
import { Contract } from '../../src/kernel/contract/contract.ts';
import { isUuidLike } from '../../src/kernel/ids.ts';
import { finder, strip, stripEnd, stripTags } from '../../src/kernel/bounded-text.ts';
import { isObject, type Json } from '../../src/kernel/json.ts';
import type { Call } from '../../src/kernel/model.ts';
import { ownDefinitions as definitions } from '../../src/services/index.ts';
import { checkExtraSpec } from '../../src/services/compute/domain/extra-specs.ts';
import { stripSlashes } from '../../src/services/identity/steps.ts';
import { plainPath } from '../../src/services/network/steps.ts';
import { isBase64 } from '../../src/services/volume/domain/backups/records.ts';
import { onEachDatabase } from '../support/cloud.ts';
import { expectLinear } from '../support/linear-cost.ts';

describe('repeated strings', () => {
  const pathOf = (step: (call: Call) => unknown, path: string): string => {
    const call = { path } as Call;
    void step(call);
    return call.path;
  };
  const tasks: Readonly<Record<string, readonly [size: number, task: (size: number) => unknown]>> =
    {
      'a path against an access rule with five **': [
        1000,
        (n) => expect(pathMatches(`/${'a'.repeat(n)}/`, '/**a**a**a**a**b')).to.equal(false),
      ],
      'a path against an access rule with five *': [
        1000,
        (n) => expect(pathMatches(`/${'a'.repeat(n)}/`, '/*a*a*a*a*b')).to.equal(false),
      ],
      'an access rule of open braces': [20_000, (n) => pathMatches('/', '{'.repeat(n))],
      'blanks as the record of a backup': [
        20_000,
        (n) => expect(isBase64(`${' '.repeat(n)}!`)).to.equal(false),
      ],
      'braces as a UUID': [20_000, (n) => expect(isUuidLike(`a${'}'.repeat(n)}b`)).to.equal(false)],
      'characters to strip': [
        20_000,
        (n) => expect(strip(`a${'}'.repeat(n)}b`, '}')).to.have.length(n + 2),
      ],
      'slashes to strip': [
        20_000,
        (n) => expect(stripEnd(`${'/'.repeat(n)}a`, '/')).to.have.length(n + 1),
      ],
      'tags that never close': [20_000, (n) => expect(stripTags('<'.repeat(n))).to.have.length(n)],
      'slashes in a path of Identity': [
        20_000,
        (n) => pathOf(stripSlashes, `/v3${'/'.repeat(n)}x`),
      ],
      'slashes in a path of Network': [20_000, (n) => pathOf(plainPath, `/v2.0${'/'.repeat(n)}x`)],
      'a long path of Network': [20_000, (n) => pathOf(plainPath, `/v2.0/${'.json'.repeat(n)}x`)],
      'a nested repetition, in a text': [
        250,
        (n) => expect(finder('^(a+)+$')(`${'a'.repeat(n)}b`)).to.equal(false),
      ],
      // With upstream's expressions for these extra specs, 4 * 6 pairs would take about 2 ** 24
      // steps.
      'CPUs of an extra spec': [6, (n) => spec('hw:numa_cpus.0', `1${',1-1'.repeat(n)}x`)],
      'a mask of an extra spec': [6, (n) => spec('hw:cpu_realtime_mask', `1${',1-1'.repeat(n)}x`)],
      'persistent memory of an extra spec': [6, (n) => spec('hw:pmem', `${'a'.repeat(n)}!`)],
      'aliases of an extra spec': [
        6,
        (n) => spec('pci_passthrough:alias', `a:1${', b:1'.repeat(n)}x`),
      ],
    };
  const spec = (name: string, value: string): unknown =>
    expect(() => checkExtraSpec(name, value)).to.throw();
  for (const [what, [size, task]] of Object.entries(tasks)) {
    it(`take linear time: ${what}`, () => expectLinear(size, task));
  }
});

describe('normalized paths of Network', () => {
  const cases = {
    '/v2.0/networks.json': '/v2.0/networks',
    '/v2.0/networks//': '/v2.0/networks',
    '/v2.0.json': '/v2.0.json',
    '//': '/',
  };
  for (const [path, expected] of Object.entries(cases)) {
    it(`turns ${path} into ${expected}`, () => {
      const call = { path } as Call;
      void plainPath(call);
      expect(call.path).to.equal(expected);
    });
  }
});

describe('the patterns of the api-ref', () => {
  /** Yields every schema with a pattern, and every pattern of property names. */
  function* patternsIn(
    node: Json | undefined,
    where: string,
  ): Generator<readonly [where: string, pattern: string, most: number]> {
    if (Array.isArray(node))
      for (const [at, child] of node.entries()) yield* patternsIn(child, `${where}/${at}`);
    if (!isObject(node)) return;
    const { pattern, maxLength } = node;
    if (typeof pattern === 'string')
      yield [where, pattern, typeof maxLength === 'number' ? maxLength : Infinity];
    if (isObject(node['patternProperties']))
      for (const name of Object.keys(node['patternProperties'])) yield [where, name, Infinity];
    for (const [name, child] of Object.entries(node)) yield* patternsIn(child, `${where}/${name}`);
  }

  for (const { name } of definitions) {
    it(`take linear time in ${name}, or limit the length`, async () => {
      const found = new Map(
        [...patternsIn(new Contract(name).load(), name)].map(([where, pattern, most]) => [
          `${pattern} ${most}`,
          { where, pattern, most },
        ]),
      );
      for (const { where, pattern, most } of found.values()) {
        const expression = new RegExp(pattern, 'u');
        for (const pump of ['a', '0', '-', ' ', '/', '.', '_', ':', 'A', 'a.', '1,'])
          for (const start of ['', '/dev/', 'a', '2'])
            try {
              await expectLinear(5000, (n) =>
                expression.test(`${start}${pump.repeat(n)}`.slice(0, most).concat('\n')),
              );
            } catch (error) {
              throw new Error(`${where}: ${pattern} with ${pump}: ${(error as Error).message}`, {
                cause: error,
              });
            }
      }
    });
  }
});

onEachDatabase('repeated strings in requests', {}, (world) => {
  const signIn = async (): Promise<string> => {
    const user = { name: 'admin', password: 'secret', domain: { id: 'default' } };
    const identity = { methods: ['password'], password: { user } };
    const body = {
      auth: { identity, scope: { project: { name: 'admin', domain: { id: 'default' } } } },
    };
    return (await world.ask('identity', 'POST', '/identity/v3/auth/tokens', { token: null, body }))
      .headers['x-subject-token'] as string;
  };

  it('take linear time in fixed_ips of Network', async () => {
    const token = await signIn();
    await expectLinear(1200, async (n) => {
      const blanks = `a${'%09'.repeat(n)}b`;
      expect(
        (await world.ask('network', 'GET', `/network/v2.0/ports?fixed_ips=${blanks}`, { token }))
          .status,
      ).to.equal(400);
    });
  });

  it('take linear time in a hostname of Compute', async () => {
    const token = await signIn();
    await expectLinear(1000, async (n) => {
      const body = {
        server: {
          name: 'a',
          imageRef: '',
          flavorRef: '1',
          networks: 'none',
          hostname: `${'a'.repeat(n)}_`,
        },
      };
      const reply = await world.ask('compute', 'POST', '/compute/v2.1/servers', {
        token,
        version: '2.90',
        body,
      });
      expect(reply.status).to.equal(400);
      expect(JSON.stringify(reply.body)).to.contain('is too long');
    });
  });

  it('take linear time in a regular expression for server names', async () => {
    const token = await signIn();
    const find = async (expression: string) =>
      world.ask('compute', 'GET', `/compute/v2.1/servers?name=${encodeURIComponent(expression)}`, {
        token,
      });
    await expectLinear(10, async (n) =>
      expect((await find(`${'('.repeat(n)}a+${')+'.repeat(n)}$`)).status).to.equal(200),
    );
    expect((await find('(?=a)')).status).to.equal(400);
  });
});
