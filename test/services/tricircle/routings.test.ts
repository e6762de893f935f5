// Tests of routings: upstream's cases, and the constraints of its database.
import { expect } from 'chai';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { systemContext } from '../../../src/kernel/context.ts';
import {
  addRouting,
  ensureRouting,
  removeRouting,
  routingOf,
  routingsOf,
} from '../../../src/services/tricircle/index.ts';
import { advance, type Ask, asker, type Fields, makePod, regions } from './support.ts';

onEachDatabase('routings', { auth: 'noauth2', regions }, (world) => {
  let ask: Ask;
  let pod: string;

  beforeEach(async () => {
    ask = asker(world);
    pod = (await makePod(ask, { region_name: 'RegionOne', az_name: 'az1' }))['pod_id'] as string;
  });

  const fieldsFor = (top: string, more: Fields = {}): Fields => ({
    top_id: top,
    bottom_id: 'below',
    pod_id: pod,
    project_id: 'admin',
    resource_type: 'port',
    ...more,
  });
  const route = async (top: string, more: Fields = {}): Promise<Fields> => {
    const { body } = await ask('POST', '/routings', { routing: fieldsFor(top, more) }).expect(200);
    return (body as Fields)['routing'] as Fields;
  };
  const routed = async (top: string, more: Fields = {}): Promise<number> =>
    (await route(top, more))['id'] as number;
  const refused = async (
    method: string,
    path: string,
    body: unknown,
    status: number,
    message: string,
  ): Promise<void> => {
    const reply = await ask(method, path, body).expect(status);
    const type = {
      400: 'badRequest',
      404: 'itemNotFound',
      409: 'conflictingRequest',
      500: 'internalServerError',
    }[status]!;
    expect(reply.body).to.deep.equal({ [type]: { message, code: status } });
  };

  describe('POST /routings', () => {
    it('routes a resource, and trims the values', async () => {
      const routing = await route(' top ', { bottom_id: ' b ' });
      expect(routing).to.deep.equal({
        id: routing['id'],
        ...fieldsFor('top', { bottom_id: 'b' }),
        created_at: '2026-11-20 12:00:00',
        updated_at: null,
      });
      expect((await ask('GET', `/routings/${routing['id']}`).expect(200)).body).to.deep.equal({
        routing,
      });
    });

    it('returns 400 for the body, empty fields and the type, in this order', async () => {
      const post = (body: unknown, message: string) =>
        refused('POST', '/routings', body, 400, message);
      await post({ route: {} }, 'Request body not found');
      for (const field of ['top_id', 'bottom_id', 'pod_id', 'project_id', 'resource_type'])
        for (const value of [undefined, null, '', ' ', 1])
          await post(
            { routing: fieldsFor('top', { [field]: value }) },
            `Field ${field} can not be empty`,
          );
      await post({ routing: {} }, 'Field top_id can not be empty');
      for (const type of ['server', 'volume', 'Network'])
        await post(
          { routing: fieldsFor('top', { resource_type: type }) },
          'There is no such resource type',
        );
      await post({ routing: fieldsFor('x'.repeat(128)) }, 'Field top_id is too long');
    });

    it('returns 409 for a duplicate, but not for another pod or type', async () => {
      await route('top');
      await refused(
        'POST',
        '/routings',
        { routing: fieldsFor('top') },
        409,
        'Resource routing already exists',
      );
      await route('top', { resource_type: 'trunk' });
      const { pod_id: other } = await makePod(ask, { region_name: 'RegionTwo', az_name: 'az1' });
      await route('top', { pod_id: other });
    });

    it('returns 500 for an unknown pod, as upstream', () =>
      refused(
        'POST',
        '/routings',
        { routing: fieldsFor('top', { pod_id: 'x' }) },
        500,
        'Failed to create resource routing',
      ));
  });

  describe('GET /routings/{id}', () => {
    it('shows a routing of another project', async () => {
      const { id } = await route('top', { project_id: 'other' });
      await ask('GET', `/routings/${id}`).expect(200);
    });

    for (const id of ['-123', '0', 'x', '1x', '99999999999999999999'])
      it(`returns 404 for ${id}`, () =>
        refused('GET', `/routings/${id}`, undefined, 404, 'Resource routing not found'));
  });

  describe('GET /routings', () => {
    const ids = async (query: string): Promise<number[]> =>
      ((await ask('GET', `/routings${query}`).expect(200)).body as Fields)['routings'].map(
        ({ id }: Fields) => id as number,
      );

    it("lists the caller's own project only, latest first", async () => {
      const [a, b, c] = [await routed('a'), await routed('b'), await routed('c')];
      await route('d', { project_id: 'other' });
      for (const query of [
        '',
        '?project_id=other',
        '?limit=0',
        '?limit=-1',
        '?limit=9999',
        '?limit=99999999999999999999',
      ])
        expect(await ids(query), query).to.deep.equal([c, b, a]);
    });

    for (const limit of [1, 2, 3, 4])
      it(`paginates with the limit ${limit}`, async () => {
        const made: number[] = [];
        for (const top of ['a', 'b', 'c', 'd', 'e']) made.unshift(await routed(top));
        const found: number[] = [];
        let next = `/v1.0/routings?limit=${limit}`;
        for (;;) {
          const { body } = await ask('GET', next.replace('/v1.0', '')).expect(200);
          found.push(...body.routings.map(({ id }: Fields) => id as number));
          const last = found.at(-1)!;
          // There are no routings before the first one.
          expect(body.routings_links !== undefined).to.equal(
            body.routings.length === limit && last !== 1,
          );
          if (!body.routings_links) break;
          next = body.routings_links[0].href as string;
          expect(body.routings_links).to.deep.equal([
            { rel: 'next', href: `/v1.0/routings?limit=${limit}&marker=${last}` },
          ]);
        }
        expect(found).to.deep.equal(made);
      });

    it('filters by each field', async () => {
      const a = await routed('a');
      await advance(world, 10);
      const b = await routed('b', { bottom_id: 'x', resource_type: 'router' });
      await ask('PUT', `/routings/${a}`, { routing: { bottom_id: 'y' } }).expect(200);
      for (const [query, found] of [
        [`?id=${b}`, [b]],
        [`?id= +${a} `, [a]],
        ['?top_id=a', [a]],
        ['?bottom_id=x', [b]],
        [`?pod_id=${pod}`, [b, a]],
        ['?pod_id=x', []],
        ['?resource_type=router', [b]],
        ['?created_at=2026-11-20 12:00:10', [b]],
        ['?created_at=2026-11-20T12:00:00', [a]],
        ['?created_at=noon', []],
        ['?updated_at=2026-11-20 12:00:10', [a]],
      ] as const)
        expect(await ids(encodeURI(query).replaceAll('+', '%2B')), query).to.deep.equal(found);
    });

    it('returns 400 for invalid limits, markers, filters and ids, in this order', async () => {
      await route('a');
      const get = (query: string, message: string) =>
        refused('GET', `/routings?${query}`, undefined, 400, message);
      const wrong = (what: string, value: string) =>
        `${what} should be an integer or a valid literal for int() rather than '${value}'`;
      await get('limit=20x&marker=last', wrong('Limit', '20x'));
      await get('marker=last&fake=1', wrong('Marker', 'last'));
      await get('marker=-1', 'Marker -1 is an invalid ID');
      await get('marker=0', 'Marker 0 is an invalid ID');
      await get('marker=70000', 'Marker 70000 is an invalid ID');
      await get('fake=1&id=4s&other=2', 'Unsupported filter type: fake, other');
      await get('id=4s', wrong('Id', '4s'));
    });
  });

  describe('PUT /routings/{id}', () => {
    it('updates the known fields, and returns the previous updated_at', async () => {
      const id = await routed('a');
      await advance(world, 5);
      const change = { resource_type: 'router', bottom_id: 'x', id: '7', unknown: 'y' };
      const { body } = await ask('PUT', `/routings/${id}`, { routing: change }).expect(200);
      expect(body.routing).to.include({
        id,
        resource_type: 'router',
        bottom_id: 'x',
        updated_at: null,
      });
      expect((await ask('GET', `/routings/${id}`)).body.routing).to.include({
        updated_at: '2026-11-20 12:00:05',
      });
    });

    it('checks the routing, the body, empty fields, type and pod in order', async () => {
      const id = await routed('a');
      const put = (body: unknown, message: string) =>
        refused('PUT', `/routings/${id}`, body, 400, message);
      await refused('PUT', '/routings/0', {}, 404, 'Resource routing not found');
      await put({}, 'Request body not found');
      await put(
        { routing: { resource_type: 'volume', anything: '' } },
        'Field anything can not be empty',
      );
      await put({ routing: { top_id: null } }, 'Field top_id can not be empty');
      await put(
        { routing: { resource_type: 'volume', pod_id: 'x' } },
        'There is no such resource type',
      );
      await put({ routing: { pod_id: 'x' } }, "The pod x doesn't exist");
    });

    it('returns 500 for a duplicate, as upstream', async () => {
      await route('a');
      const id = await routed('b');
      await refused(
        'PUT',
        `/routings/${id}`,
        { routing: { top_id: 'a' } },
        500,
        'Failed to update resource routing',
      );
    });
  });

  describe('DELETE /routings/{id}', () => {
    it('deletes a routing', async () => {
      const id = await routed('a');
      const { text } = await ask('DELETE', `/routings/${id}`).expect(204);
      expect(text).to.equal('');
      await refused('DELETE', `/routings/${id}`, undefined, 404, 'Resource routing not found');
    });
  });

  it('include those of servers and volumes for the gateways', async () => {
    const context = systemContext(
      world.cloud,
      world.cloud.firstRegion,
      world.cloud.firstRegion.database.db,
      1_700_000_000_000_000,
    );
    const fields = {
      topId: 's',
      bottomId: 's',
      podId: pod,
      projectId: 'admin',
      resourceType: 'server',
    };
    const made = await addRouting(context, fields);
    expect(await routingOf(context, { topId: 's', resourceType: 'server' })).to.deep.equal(made);
    expect(await routingOf(context, { topId: 's', resourceType: 'volume' })).to.equal(undefined);
    expect(
      await routingsOf(context, { projectId: 'admin', podId: pod, resourceType: 'server' }),
    ).to.deep.equal([made]);
    expect(await routingsOf(context, { projectId: 'other', resourceType: 'server' })).to.deep.equal(
      [],
    );
    expect((await ask('GET', '/routings').expect(200)).body.routings[0]).to.include({
      top_id: 's',
      resource_type: 'server',
    });
    expect(await removeRouting(context, made)).to.equal(true);
    expect(await removeRouting(context, made)).to.equal(false);
  });

  it('found by a gateway do not lead to another pod than before', async () => {
    const { firstRegion } = world.cloud;
    const context = systemContext(world.cloud, firstRegion, firstRegion.database.db, noon);
    const old = await makePod(ask, { region_name: 'RegionTwo', az_name: 'az1' });
    const volume = { topId: 'v', bottomId: 'v', projectId: 'admin', resourceType: 'volume' };
    await ensureRouting(context, { ...volume, podId: pod });
    await ensureRouting(context, { ...volume, podId: old['pod_id'] as string });
    const { routings } = (await ask('GET', '/routings').expect(200)).body;
    expect((routings as Fields[]).map(({ pod_id }) => pod_id)).to.deep.equal([pod]);
  });
});
