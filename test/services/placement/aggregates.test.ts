// Aggregates of a provider, which are created on first use.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { aggregate, senderFor, expectRefusal, makeProvider, newest, provider } from './support.ts';

const noon = { 'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT', 'cache-control': 'no-cache' };
const changed =
  "Resource provider's generation already changed. Please update the generation and try again.";

onEachDatabase('Placement: aggregates', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const one = provider(1);
  const path = `/resource_providers/${one}/aggregates`;
  const put = (body: unknown, version: string) => send(`PUT ${path}`, version, { body });
  const generation = async (): Promise<number> =>
    (await send(`GET /resource_providers/${one}`).expect(200)).body.generation as number;

  describe('GET .../aggregates', () => {
    it('returns the aggregates, and from 1.19 on the generation', async () => {
      await makeProvider(send, one, { aggregates: [aggregate(1), aggregate(2)] });
      const before = await send(`GET ${path}`, '1.1').expect(200);
      expect(before.body).to.have.all.keys('aggregates');
      expect(before.body.aggregates).to.have.members([aggregate(1), aggregate(2)]);
      const since = await send(`GET ${path}`, '1.19').expect(200);
      expect(since.body).to.have.all.keys('aggregates', 'resource_provider_generation');
      expect(since.body.resource_provider_generation).to.equal(0);
      expect(since.headers).to.include(noon);
    });

    it('returns an empty list for a provider without aggregates', async () => {
      await makeProvider(send, one);
      expect((await send(`GET ${path}`, '1.1').expect(200)).body).to.deep.equal({ aggregates: [] });
    });

    it('returns 404 for an unknown provider', async () => {
      expectRefusal(
        await send(`GET ${path}`, newest),
        404,
        `No resource provider with uuid ${one} found`,
      );
    });

    it('returns 404 before 1.1', async () => {
      expectRefusal(await send(`GET ${path}`, '1.0'), 404, '');
    });
  });

  describe('PUT .../aggregates before 1.19', () => {
    beforeEach(() => makeProvider(send, one));

    it('takes a list, and does not change the generation #placement-21', async () => {
      const { body, headers } = await put([aggregate(2), aggregate(1)], '1.18').expect(200);
      expect(body).to.deep.equal({ aggregates: [aggregate(2), aggregate(1)] });
      expect(headers).to.include(noon);
      expect(await generation()).to.equal(0);
      expect((await put([aggregate(3)], '1.1').expect(200)).body).to.deep.equal({
        aggregates: [aggregate(3)],
      });
      expect((await send(`GET ${path}`, '1.1').expect(200)).body).to.deep.equal({
        aggregates: [aggregate(3)],
      });
      expect((await put([], '1.1').expect(200)).body).to.deep.equal({ aggregates: [] });
    });

    it("keeps the client's spelling of the UUIDs", async () => {
      const odd = [aggregate(1).toUpperCase(), aggregate(2).replaceAll('-', '')];
      await put(odd, '1.18').expect(200);
      expect((await send(`GET ${path}`, '1.18').expect(200)).body.aggregates).to.have.members(odd);
    });

    it('returns 400 for a body other than a list of distinct UUIDs', async () => {
      expectRefusal(await put({ aggregates: [] }, '1.18'), 400, /is not of type 'array'/);
      expectRefusal(await put(['zz'], '1.18'), 400, /'zz' is not a 'uuid'/);
      expectRefusal(await put([1], '1.18'), 400, /1 is not of type 'string'/);
      expectRefusal(
        await put([aggregate(1), aggregate(1)], '1.18'),
        400,
        /has non-unique elements/,
      );
    });
  });

  describe('PUT .../aggregates from 1.19 on', () => {
    beforeEach(() => makeProvider(send, one));
    const body = (aggregates: unknown, generationNow: unknown = 0) => ({
      aggregates,
      resource_provider_generation: generationNow,
    });

    it('returns the list, and increments the generation even if nothing changes', async () => {
      const first = await put(body([aggregate(2), aggregate(1)]), '1.19').expect(200);
      expect(first.body).to.deep.equal({
        aggregates: [aggregate(2), aggregate(1)],
        resource_provider_generation: 1,
      });
      const same = await put(body([aggregate(2), aggregate(1)], 1), '1.19').expect(200);
      expect(same.body.resource_provider_generation).to.equal(2);
      expect((await put(body([], 2), newest).expect(200)).body).to.deep.equal({
        aggregates: [],
        resource_provider_generation: 3,
      });
    });

    it('returns 409 for a stale generation', async () => {
      expectRefusal(await put(body([], 5), '1.19'), 409, changed);
      expectRefusal(await put(body([], 5), '1.23'), 409, changed, 'placement.concurrent_update');
    });

    it('returns 400 for an invalid body', async () => {
      expectRefusal(await put([aggregate(1)], newest), 400, /is not of type 'object'/);
      expectRefusal(
        await put({ aggregates: [] }, newest),
        400,
        /'resource_provider_generation' is a required property/,
      );
      expectRefusal(await put({ ...body([]), x: 1 }, newest), 400, /'x' was unexpected/);
      expectRefusal(await put(body(['zz']), newest), 400, /'zz' is not a 'uuid'/);
      expectRefusal(
        await put(body([aggregate(1), aggregate(1)]), newest),
        400,
        /has non-unique elements/,
      );
      expectRefusal(await put(body('x'), newest), 400, /'x' is not of type 'array'/);
    });

    it('returns 404 for an unknown provider before it validates the body', async () => {
      const answer = await send(`PUT /resource_providers/${provider(9)}/aggregates`, newest, {
        body: { bad: 1 },
      });
      expectRefusal(answer, 404, `No resource provider with uuid ${provider(9)} found`);
    });

    it('accepts only one of several concurrent writes with the same generation', async () => {
      const answers = await Promise.all(
        [1, 2, 3].map((number) => put(body([aggregate(number)]), newest)),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409]);
      expect(await generation()).to.equal(1);
    });

    it('creates one aggregate when several providers name it concurrently', async () => {
      await Promise.all([2, 3, 4].map((number) => makeProvider(send, provider(number))));
      const answers = await Promise.all(
        [1, 2, 3, 4].map((number) =>
          send(`PUT /resource_providers/${provider(number)}/aggregates`, newest, {
            body: body([aggregate(7)]),
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      const { body: members } = await send(
        `GET /resource_providers?member_of=${aggregate(7)}`,
        newest,
      ).expect(200);
      expect(members.resource_providers).to.have.length(4);
    });
  });
});
