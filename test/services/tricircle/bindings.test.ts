// Tests of the API of bindings.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  advance,
  type Ask,
  asker,
  choose,
  type Fields,
  historyOf,
  makePod,
  regions,
} from './support.ts';

onEachDatabase('bindings', { auth: 'noauth2', regions }, (world) => {
  let ask: Ask;
  let one: string;
  let two: string;
  let top: string;

  beforeEach(async () => {
    ask = asker(world);
    top = (await makePod(ask, { region_name: 'CentralRegion' }))['pod_id'] as string;
    one = (await makePod(ask, { region_name: 'RegionOne', az_name: 'az1' }))['pod_id'] as string;
    two = (await makePod(ask, { region_name: 'RegionTwo', az_name: 'az1' }))['pod_id'] as string;
  });

  const bind = async (tenant: string, pod: string): Promise<Fields> => {
    const { body } = await ask('POST', '/bindings', {
      pod_binding: { tenant_id: tenant, pod_id: pod },
    }).expect(200);
    return (body as Fields)['pod_binding'] as Fields;
  };
  const listed = async (query = ''): Promise<Fields[]> =>
    ((await ask('GET', `/bindings${query}`).expect(200)).body as Fields)[
      'pod_bindings'
    ] as Fields[];

  describe('POST /bindings', () => {
    it('binds a tenant, and ignores other fields of the body #tricircle-10', async () => {
      const body = {
        pod_binding: { tenant_id: ' t ', pod_id: one, is_binding: false, az_name: 'x' },
      };
      const reply = await ask('POST', '/bindings', body).expect(200);
      const made = reply.body.pod_binding as Fields;
      expect(made).to.deep.equal({
        id: made['id'],
        tenant_id: 't',
        pod_id: one,
        is_binding: true,
        created_at: '2026-11-20 12:00:00',
        updated_at: null,
        start_binding_time: '2026-11-20 12:00:00',
        end_binding_time: null,
        az_name: 'az1',
        resource_affinity_tag: {},
        start_reason: 'admin',
        end_reason: null,
      });
      expect((await ask('GET', `/bindings/${made['id']}`).expect(200)).body).to.deep.equal({
        pod_binding: made,
      });
      expect((await choose(world.cloud, { tenant: 't' })).id).to.equal(one);
    });

    it('ends the previous binding, and can bind the same pod again #tricircle-10', async () => {
      await bind('t', one);
      await advance(world, 60);
      await bind('t', two);
      await advance(world, 60);
      await bind('t', one);
      const [last, middle, first] = await historyOf(ask, 't');
      expect(first).to.include({
        pod_id: one,
        is_binding: false,
        end_reason: 'admin',
        end_binding_time: '2026-11-20 12:01:00',
      });
      expect(middle).to.include({
        pod_id: two,
        start_binding_time: '2026-11-20 12:01:00',
        end_binding_time: '2026-11-20 12:02:00',
      });
      expect(last).to.include({ pod_id: one, is_binding: true, end_binding_time: null });
    });

    it('does not change the bindings of other tenants, zones and groups', async () => {
      const other = await makePod(ask, { region_name: 'Third', az_name: 'az2' });
      const cad = await makePod(ask, {
        region_name: 'Fourth',
        az_name: 'az1',
        resource_affinity_tag: { resource: 'CAD' },
      });
      for (const pod of [one, other['pod_id'], cad['pod_id']] as string[]) await bind('t', pod);
      await bind('u', two);
      expect(
        (await listed('?is_binding=true')).map(({ pod_id: id }) => id as string),
      ).to.have.members([one, other['pod_id'], cad['pod_id'], two]);
    });

    const refused = async (pod_binding: unknown, status: number, text: string): Promise<void> => {
      const reply = await ask('POST', '/bindings', { pod_binding }).expect(status);
      expect(reply.text).to.equal(text);
      expect(reply.headers['content-type']).to.equal('text/html; charset=UTF-8');
    };

    it('binds a pod in its own group, if the tenant is bound to it in another one', async () => {
      const tags = { [one]: { resource: 'CAD' }, [two]: { gpu: '1' } };
      for (const [pod, tag] of Object.entries(tags))
        await ask('PUT', `/pods/${pod}`, { pod: { resource_affinity_tag: tag } }).expect(200);
      // This request needs both tags, so its group is neither pod's own.
      const { id } = await choose(world.cloud, {
        tenant: 't',
        specs: { resource: 'CAD', gpu: '1' },
      });
      expect(id).to.equal(one);
      await bind('t', one);
      const active = await listed('?is_binding=true&tenant_id=t');
      expect(active.map(({ pod_id: pod }) => pod as string)).to.deep.equal([one, one]);
      await refused({ tenant_id: 't', pod_id: one }, 409, 'Pod binding already exists');
    });

    it('returns 400 for a body without a binding', async () => {
      const { body } = await ask('POST', '/bindings', { binding: {} }).expect(400);
      expect(body).to.deep.equal({
        code: 400,
        title: 'Bad Request',
        description: 'Request body not found',
      });
    });

    it('returns an error for empty fields, other pods and existing bindings', async () => {
      for (const fields of [
        {},
        { tenant_id: 't' },
        { pod_id: one },
        { tenant_id: '', pod_id: one },
        { tenant_id: 't', pod_id: ' ' },
        { tenant_id: 1, pod_id: one },
      ])
        await refused(fields, 422, 'Tenant_id and pod_id can not be empty');
      await refused({ tenant_id: 't', pod_id: 'x' }, 422, 'pod_id not found in pod');
      await refused({ tenant_id: 't', pod_id: top }, 422, 'Top region can not be bound');
      await bind('t', one);
      await refused({ tenant_id: 't', pod_id: one }, 409, 'Pod binding already exists');
    });
  });

  describe('GET /bindings', () => {
    it('lists active and ended bindings, oldest first #tricircle-4 #tricircle-33', async () => {
      await bind('t', one);
      await advance(world, 1);
      await bind('t', two);
      await advance(world, 1);
      await bind('u', one);
      expect(
        (await listed()).map(({ tenant_id: tenant, pod_id: id, is_binding: on }) => [
          tenant,
          id,
          on,
        ]),
      ).to.deep.equal([
        ['t', one, false],
        ['t', two, true],
        ['u', one, true],
      ]);
    });

    it('filters and paginates, and ignores unknown parameters', async () => {
      for (const tenant of ['a', 'b', 'c']) {
        await bind(tenant, one);
        await advance(world, 1);
      }
      const tenants = async (query: string) =>
        (await listed(query)).map(({ tenant_id: tenant }) => tenant as string);
      expect(await tenants('?tenant_id=b')).to.deep.equal(['b']);
      expect(await tenants('?project_id=b')).to.deep.equal(['b']);
      expect(await tenants(`?pod_id=${two}`)).to.deep.equal([]);
      expect(await tenants('?az_name=az1&is_binding=false')).to.deep.equal([]);
      expect(await tenants('?fake=1&limit=0')).to.deep.equal(['a', 'b', 'c']);
      expect(await tenants('?limit=2')).to.deep.equal(['a', 'b']);
      const [, second] = await listed();
      expect(await tenants(`?marker=${second!['id']}`)).to.deep.equal(['c']);
      expect((await ask('GET', '/bindings?limit=2x').expect(400)).body.description).to.equal(
        "Limit should be an integer or a valid literal for int() rather than '2x'",
      );
      expect((await ask('GET', '/bindings?marker=x').expect(400)).body.description).to.equal(
        'Invalid marker: x',
      );
    });
  });

  describe('DELETE /bindings/{id}', () => {
    it('ends a binding, and removes it from the list but not from the history', async () => {
      const { id } = await bind('t', one);
      await advance(world, 5);
      expect((await ask('DELETE', `/bindings/${id}`).expect(200)).body).to.deep.equal({});
      expect(await listed()).to.deep.equal([]);
      for (const method of ['GET', 'DELETE']) {
        const { body } = await ask(method, `/bindings/${id}`).expect(404);
        expect(body).to.deep.equal({
          code: 404,
          title: 'Not Found',
          description: 'Tenant pod binding not found',
        });
      }
      const [past] = await historyOf(ask, 't');
      expect(past).to.include({
        id,
        is_binding: false,
        end_reason: 'admin',
        end_binding_time: '2026-11-20 12:00:05',
      });
    });

    it('does not change the end of a binding that has ended already', async () => {
      const { id } = await bind('t', one);
      await advance(world, 5);
      await bind('t', two);
      await advance(world, 5);
      await ask('DELETE', `/bindings/${id}`).expect(200);
      expect((await historyOf(ask, 't'))[1]).to.include({
        id,
        end_binding_time: '2026-11-20 12:00:05',
      });
    });
  });
});
