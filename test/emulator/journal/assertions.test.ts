// Tests of POST /_emulator/requests/assert: assertions that hold, and the messages and near misses
// of those that fail.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { journalOf, messageOf } from './support.ts';

const uuid = '4e8e5957-649f-477b-9e5b-f1f75b21c03c';

onEachDatabase('POST /_emulator/requests/assert', { auth: 'noauth2' }, (world) => {
  const journal = journalOf(world);
  const placement = (method: string, path: string, asked: Asked = {}) =>
    world.ask('placement', method, `/placement${path}`, asked);
  const createProvider = (name: string) =>
    placement('POST', '/resource_providers', { version: '1.20', body: { name } }).expect(200);
  const create = { operation: 'resource_providers:create' };

  beforeEach(async () => {
    await journal.keep(1000);
    await createProvider('a');
    await placement('GET', `/resource_providers/${uuid}`).expect(404);
    await createProvider('b');
  });
  afterEach(() => journal.keep(0));

  const holding: readonly (readonly [assertion: object, matched: number])[] = [
    [{ match: create }, 2],
    [{ match: create, times: 2 }, 2],
    [{ match: create, at_least: 1 }, 2],
    [{ match: create, at_most: 2 }, 2],
    [{ match: create, at_least: 2, at_most: 3 }, 2],
    [{ match: {} }, 3],
    [{ match: { status: 404 }, times: 1 }, 1],
    [{ match: { ...create, status: '4xx' }, never: true }, 0],
    [{ match: { ...create, status: 409 }, times: 0 }, 0],
    [{ match: { ...create, status: 409 }, at_most: 1 }, 0],
    [{ match: { body: { name: 'b' } }, times: 1 }, 1],
    [{ match: { ...create, since: 999_999_999 }, never: true }, 0],
    [{ match: { inside: true }, never: true }, 0],
    [{ sequence: [create, { status: 404 }, { body: { name: 'b' } }] }, 3],
    [{ sequence: [create, create] }, 2],
  ];
  for (const [assertion, matched] of holding)
    it(`returns 200 for ${JSON.stringify(assertion)}`, async () => {
      expect(await journal.holds(assertion)).to.include({ matched });
    });

  const failing: readonly (readonly [
    assertion: object,
    message: RegExp,
    conditions: readonly string[],
  ])[] = [
    [
      { match: create, times: 3 },
      /^Expected 3 requests to resource_providers:create, found 2\.$/,
      [],
    ],
    [
      { match: create, at_least: 3 },
      /^Expected at least 3 requests to resource_providers:create, found 2\.$/,
      [],
    ],
    [
      { match: create, at_most: 1 },
      /^Expected at most 1 request to .*, found 2\. The requests are #\d+ POST \/placement\/resource_providers, #/,
      [],
    ],
    [
      { match: create, never: true },
      /^Expected no requests to resource_providers:create, found 2\. The requests are/,
      [],
    ],
    [
      { match: { operation: 'traits:list' } },
      /^Expected at least 1 request to traits:list, found none\.$/,
      [],
    ],
    [
      { match: { ...create, status: 404 } },
      /found none\. #\d+ POST \/placement\/resource_providers differs only in its status: 200 instead of 404\./,
      ['status', 'operation', 'status'],
    ],
    [
      { match: { ...create, body: { name: 'c' } } },
      /differs only in its body: {"name":"b"} instead of {"name":"c"}\.$/,
      ['body', 'body'],
    ],
    [
      { match: { service: 'placement', method: 'GET', status: '2xx' } },
      /^Expected at least 1 GET request to placement with status 2xx, found none\. #\d+ POST .* differs only in its method: POST instead of GET\. #\d+ GET \/placement\/resource_providers\/4e8e5957-.* differs only in its status: 404 instead of 2xx/,
      ['method', 'status', 'method'],
    ],
    [
      { match: { path: '/resource_providers/*', user: 'eva' } },
      /differs only in its user: admin instead of eva\./,
      ['user'],
    ],
    [
      {
        match: {
          service: 'placement',
          min_version: '1.30',
          operation: 'resource_providers:create',
        },
      },
      /differs only in its min_version: 1\.20 instead of 1\.30\./,
      ['min_version', 'min_version'],
    ],
    [
      { sequence: [{ status: 404 }, create, create] },
      /^Expected a request with status 404, then a request to .*, then a request to .*\. After #\d+ POST .*, found no request to resource_providers:create\.$/,
      [],
    ],
    [
      { sequence: [{ ...create, status: 500 }] },
      /Found no request to resource_providers:create with status 500\. #\d+ POST .* status: 200 instead of 500/,
      ['status', 'status'],
    ],
  ];
  for (const [assertion, message, conditions] of failing)
    it(`returns 409 for ${JSON.stringify(assertion)}`, async () => {
      const { error, near_misses: nearMisses } = await journal.fails(assertion);
      expect(error.message).to.match(message);
      expect(nearMisses.map(({ condition }) => condition)).to.deep.equal(conditions);
      for (const { request, actual, condition, expected } of nearMisses) {
        expect(request).to.have.keys(...Object.keys((await journal.list())[0]!));
        expect([condition, actual]).to.not.deep.equal([condition, expected]);
      }
    });

  it('returns the requests that matched', async () => {
    const { matched, requests } = await journal.fails({ match: create, times: 1 });
    expect([matched, requests.map((one) => one.request_body)]).to.deep.equal([
      2,
      [{ name: 'a' }, { name: 'b' }],
    ]);
  });

  describe('conditions on the body', () => {
    const sent = { name: 'deep', links: [{ a: 1, b: [1, 2, 3] }, { c: null }], on: true };
    const parts: readonly (readonly [part: unknown, holds: boolean])[] = [
      [{}, true],
      [{ on: true }, true],
      [{ on: 1 }, false],
      [{ name: 'dee' }, false],
      [{ links: [] }, true],
      [{ links: [{ a: 1 }] }, true],
      [{ links: [{ c: null }, { b: [3, 1] }] }, true],
      [{ links: [{ a: 1, c: null }] }, false],
      [{ links: [{ b: [4] }] }, false],
      [{ links: { a: 1 } }, false],
      [{ nothing: null }, false],
      [{ toString: {} }, false],
      [[], false],
    ];
    for (const [part, holds] of parts)
      it(
        `${JSON.stringify(sent)} ${holds ? 'contains' : 'does not contain'} ` +
          JSON.stringify(part),
        async () => {
          await placement('POST', '/resource_providers', { body: sent }).expect(400);
          await journal.holds({ match: { body: part, status: 400 }, times: holds ? 1 : 0 });
        },
      );
  });

  const invalid: readonly (readonly [assertion: unknown, message: RegExp])[] = [
    [{}, /Give either match or sequence\. A match of {} matches every request/],
    [{ match: {}, sequence: [{}] }, /Give either match or sequence/],
    [{ sequence: [{}], times: 1 }, /A sequence cannot be combined with a number of requests/],
    [{ sequence: [] }, /non-empty|too short/],
    [{ match: {}, times: 1, never: true }, /never and times contradict each other/],
    [{ match: {}, times: 1, at_least: 1 }, /times and never already give the exact number/],
    [
      { match: {}, at_least: 2, at_most: 1 },
      /at_least 2 is greater than at_most 1\. Swap the two\./,
    ],
    [{ match: {}, never: false }, /True was expected/],
    [{ match: {}, times: -1 }, /-1 is less than the minimum of 0/],
    [
      { match: { operation: 'servers:creat' }, never: true },
      /^No service has an operation or action 'servers:creat'/,
    ],
    [{ match: { service: 'nova' }, never: true }, /There is no service 'nova'/],
    [{ match: { since: 'then' } }, /neither an entry's number nor a time/],
    [{ match: { limit: 1 } }, /'limit' was unexpected/],
    [{ match: {}, time: 1 }, /'time' was unexpected/],
  ];
  for (const [assertion, message] of invalid)
    it(`returns 400 for ${JSON.stringify(assertion)}`, async () => {
      expect(messageOf(await journal.ask('POST', '/assert', assertion).expect(400))).to.match(
        message,
      );
    });
});
