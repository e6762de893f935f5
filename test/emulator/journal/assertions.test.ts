// Tests of POST /requests/assert: what holds, what is said where it does not, and what nearly
// fitted.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { journalOf, messageOf } from './support.ts';

const uuid = '4e8e5957-649f-477b-9e5b-f1f75b21c03c';

onEachDatabase('emulator: assertions on the journal', { auth: 'noauth2' }, (world) => {
  const journal = journalOf(world);
  const placement = (method: string, path: string, asked: Asked = {}) =>
    world.ask('placement', method, `/placement${path}`, asked);
  const make = (name: string) =>
    placement('POST', '/resource_providers', { version: '1.20', body: { name } }).expect(200);
  const create = { operation: 'resource_providers:create' };

  beforeEach(async () => {
    await journal.keep(1000);
    await make('a');
    await placement('GET', `/resource_providers/${uuid}`).expect(404);
    await make('b');
  });
  afterEach(() => journal.keep(0));

  const held: readonly (readonly [claim: object, matched: number])[] = [
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
  for (const [claim, matched] of held)
    it(`hold: ${JSON.stringify(claim)}`, async () => {
      expect(await journal.holds(claim)).to.include({ matched });
    });

  const failed: readonly (readonly [claim: object, says: RegExp, near: readonly string[]])[] = [
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
      /^Expected at most 1 request to .*, found 2\. They are #\d+ POST \/placement\/resource_providers, #/,
      [],
    ],
    [
      { match: create, never: true },
      /^Expected no requests to resource_providers:create, found 2\. They are/,
      [],
    ],
    [
      { match: { operation: 'traits:list' } },
      /^Expected at least 1 request to traits:list, found none\.$/,
      [],
    ],
    [
      { match: { ...create, status: 404 } },
      /found none\. #\d+ POST \/placement\/resource_providers is one but for its status: 200 and not 404\./,
      ['status', 'operation', 'status'],
    ],
    [
      { match: { ...create, body: { name: 'c' } } },
      /is one but for its body: {"name":"b"} and not {"name":"c"}\.$/,
      ['body', 'body'],
    ],
    [
      { match: { service: 'placement', method: 'GET', status: '2xx' } },
      /^Expected at least 1 request to GET of placement with status 2xx, found none\. #\d+ POST .* is one but for its method: POST and not GET\. #\d+ GET \/placement\/resource_providers\/4e8e5957-.* is one but for its status: 404 and not 2xx/,
      ['method', 'status', 'method'],
    ],
    [
      { match: { path: '/resource_providers/*', user: 'eva' } },
      /is one but for its user: admin and not eva\./,
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
      /is one but for its min_version: 1\.20 and not 1\.30\./,
      ['min_version', 'min_version'],
    ],
    [
      { sequence: [{ status: 404 }, create, create] },
      /^Expected a request with status 404, then a request to .*, then a request to .*\. After #\d+ POST .* there is no request to resource_providers:create\.$/,
      [],
    ],
    [
      { sequence: [{ ...create, status: 500 }] },
      /There is no request to resource_providers:create with status 500\. #\d+ POST .* status: 200 and not 500/,
      ['status', 'status'],
    ],
  ];
  for (const [claim, says, near] of failed)
    it(`fail: ${JSON.stringify(claim)}`, async () => {
      const { error, near_misses: missed } = await journal.fails(claim);
      expect(error.message).to.match(says);
      expect(missed.map(({ condition }) => condition)).to.deep.equal(near);
      for (const { request, given, condition, wanted } of missed) {
        expect(request).to.have.keys(...Object.keys((await journal.list())[0]!));
        expect([condition, given]).to.not.deep.equal([condition, wanted]);
      }
    });

  it('tell what matched', async () => {
    const { matched, requests } = await journal.fails({ match: create, times: 1 });
    expect([matched, requests.map((one) => one.request_body)]).to.deep.equal([
      2,
      [{ name: 'a' }, { name: 'b' }],
    ]);
  });

  describe('on a body', () => {
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
      it(`${JSON.stringify(sent)} ${holds ? 'contains' : 'does not contain'} ${JSON.stringify(part)}`, async () => {
        await placement('POST', '/resource_providers', { body: sent }).expect(400);
        await journal.holds({ match: { body: part, status: 400 }, times: holds ? 1 : 0 });
      });
  });

  const refused: readonly (readonly [claim: unknown, says: RegExp])[] = [
    [{}, /An assertion has a match, {} for any request, or a sequence of them\./],
    [{ match: {}, sequence: [{}] }, /An assertion has a match/],
    [{ sequence: [{}], times: 1 }, /A sequence has no times/],
    [{ sequence: [] }, /non-empty|too short/],
    [{ match: {}, times: 1, never: true }, /never and times say different things/],
    [{ match: {}, times: 1, at_least: 1 }, /times and never say exactly how many/],
    [{ match: {}, at_least: 2, at_most: 1 }, /No number is at least 2 and at most 1\./],
    [{ match: {}, never: false }, /True was expected/],
    [{ match: {}, times: -1 }, /-1 is less than the minimum of 0/],
    [
      { match: { operation: 'servers:creat' }, never: true },
      /has no operation or action 'servers:creat'/,
    ],
    [{ match: { service: 'nova' }, never: true }, /There is no service 'nova'/],
    [{ match: { since: 'then' } }, /neither an entry's number nor a time/],
    [{ match: { limit: 1 } }, /'limit' was unexpected/],
    [{ match: {}, time: 1 }, /'time' was unexpected/],
  ];
  for (const [claim, says] of refused)
    it(`are refused: ${JSON.stringify(claim)}`, async () => {
      expect(messageOf(await journal.ask('POST', '/assert', claim).expect(400))).to.match(says);
    });
});
