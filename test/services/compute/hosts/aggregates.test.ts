// Tests of aggregates, and of the availability zones that they define.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { putServer } from '../servers/by-hand.ts';
import { ask, config, expectFault, member } from '../support.ts';

interface Aggregate {
  id: number;
  uuid: string;
}

onEachDatabase('compute: aggregates', config, (world) => {
  const make = async (name: string, zone?: string): Promise<Aggregate> => {
    const reply = await ask(world, 'POST', '/os-aggregates', {
      version: '2.41',
      body: { aggregate: { name, ...(zone === undefined ? {} : { availability_zone: zone }) } },
    });
    expect(reply.status, reply.text).to.equal(200);
    return (reply.body as { aggregate: Aggregate }).aggregate;
  };
  const act = (id: number | string, body: object, version = '2.1') =>
    ask(world, 'POST', `/os-aggregates/${id}/action`, { version, body });
  const join = (id: number, host: string) => act(id, { add_host: { host } });
  /** The aggregates of a host's provider in Placement. */
  const placementAggregatesOf = async (host: string): Promise<string[]> => {
    const { body } = await world.ask(
      'placement',
      'GET',
      `/placement/resource_providers?name=${host}`,
      { version: '1.39' },
    );
    const { uuid } = (body as { resource_providers: { uuid: string }[] }).resource_providers[0]!;
    return (
      await world.ask('placement', 'GET', `/placement/resource_providers/${uuid}/aggregates`, {
        version: '1.39',
      })
    ).body.aggregates as string[];
  };

  describe('POST /os-aggregates', () => {
    it('creates an aggregate, and returns it without hosts and metadata', async () => {
      const { status, body } = await ask(world, 'POST', '/os-aggregates', {
        body: { aggregate: { name: 'a', availability_zone: 'z' } },
      });
      expect(status).to.equal(200);
      const { id, ...rest } = body.aggregate;
      expect(id).to.be.a('number');
      expect(rest).to.deep.equal({
        name: 'a',
        availability_zone: 'z',
        created_at: '2026-11-20T12:00:00.000000',
        updated_at: null,
        deleted: false,
        deleted_at: null,
      });
    });

    it('returns a UUID from 2.41 on', async () => {
      expect((await make('a')).uuid).to.match(/^[0-9a-f-]{36}$/);
    });

    it('returns 409 for a taken name', async () => {
      await make('a');
      expectFault(
        await ask(world, 'POST', '/os-aggregates', { body: { aggregate: { name: 'a' } } }),
        409,
        'Aggregate a already exists.',
      );
    });

    it('returns 400 for a zone with a colon', async () => {
      expectFault(
        await ask(world, 'POST', '/os-aggregates', {
          body: { aggregate: { name: 'b', availability_zone: 'a:b' } },
        }),
        400,
        /is not valid under any of the given schemas|printable characters except/,
      );
    });

    it('returns 403 for a member', async () => {
      expectFault(
        await ask(world, 'POST', '/os-aggregates', {
          ...member,
          body: { aggregate: { name: 'b' } },
        }),
        403,
        "Policy doesn't allow os_compute_api:os-aggregates:create to be performed.",
      );
    });
  });

  describe('GET, PUT and DELETE /os-aggregates/{id}', () => {
    it('lists aggregates, and shows one with its hosts and metadata', async () => {
      const { id } = await make('a', 'z');
      await make('b');
      await join(id, 'compute-1');
      const { body } = await ask(world, 'GET', '/os-aggregates');
      expect(body.aggregates.map(({ name }: { name: string }) => name)).to.deep.equal(['a', 'b']);
      const shown = await ask(world, 'GET', `/os-aggregates/${id}`);
      expect(shown.body.aggregate)
        .to.deep.include({
          hosts: ['compute-1'],
          metadata: { availability_zone: 'z' },
          availability_zone: 'z',
        })
        .and.not.have.property('uuid');
    });

    it('returns 400 for an id that is not a number, and 404 for an unknown one', async () => {
      expectFault(
        await ask(world, 'GET', '/os-aggregates/name'),
        400,
        'Invalid input received: id must be an integer',
      );
      expectFault(
        await ask(world, 'GET', '/os-aggregates/99'),
        404,
        'Aggregate 99 could not be found.',
      );
      expectFault(
        await ask(world, 'DELETE', '/os-aggregates/99'),
        404,
        'Aggregate 99 could not be found.',
      );
    });

    it('renames an aggregate, and changes its zone', async () => {
      const { id } = await make('a');
      const { body } = await ask(world, 'PUT', `/os-aggregates/${id}`, {
        body: { aggregate: { name: ' b ', availability_zone: 'z' } },
      });
      expect(body.aggregate).to.deep.include({
        name: 'b',
        availability_zone: 'z',
        updated_at: '2026-11-20T12:00:00.000000',
      });
    });

    it('returns 409 for a taken name, and 400 for no changes or no zone', async () => {
      const { id } = await make('b');
      await make('c');
      expectFault(
        await ask(world, 'PUT', `/os-aggregates/${id}`, { body: { aggregate: { name: 'c' } } }),
        409,
        'Aggregate c already exists.',
      );
      expectFault(
        await ask(world, 'PUT', `/os-aggregates/${id}`, { body: { aggregate: {} } }),
        400,
        /is not valid under any of the given schemas/,
      );
      expectFault(
        await ask(world, 'PUT', `/os-aggregates/${id}`, {
          body: { aggregate: { availability_zone: null } },
        }),
        400,
        `Cannot update aggregate ${id}. ` +
          'Reason: Aggregate b does not support empty named availability zone.',
      );
    });

    it('deletes an aggregate without hosts, and returns 400 for one with hosts', async () => {
      const { id } = await make('a');
      await join(id, 'compute-1');
      expectFault(
        await ask(world, 'DELETE', `/os-aggregates/${id}`),
        400,
        `Cannot remove host from aggregate ${id}. Reason: Host aggregate is not empty.`,
      );
      await act(id, { remove_host: { host: 'compute-1' } });
      const reply = await ask(world, 'DELETE', `/os-aggregates/${id}`);
      expect([reply.status, reply.text]).to.deep.equal([200, '']);
    });
  });

  describe('hosts in aggregates', () => {
    it('are added and removed together with their providers in Placement', async () => {
      const { id, uuid } = await make('a');
      expect((await join(id, 'compute-2')).body.aggregate.hosts).to.deep.equal(['compute-2']);
      expect(await placementAggregatesOf('compute-2')).to.deep.equal([uuid]);
      expect(
        (await act(id, { remove_host: { host: 'compute-2' } })).body.aggregate.hosts,
      ).to.deep.equal([]);
      expect(await placementAggregatesOf('compute-2')).to.deep.equal([]);
    });

    it('return 409 if they are already in the aggregate, and 404 if they are unknown', async () => {
      const { id } = await make('a');
      await join(id, 'compute-2');
      expectFault(await join(id, 'compute-2'), 409, `Aggregate ${id} already has host compute-2.`);
      expectFault(await join(id, 'none'), 404, 'Compute host none could not be found.');
      expectFault(
        await act(id, { remove_host: { host: 'compute-1' } }),
        404,
        `Cannot remove host compute-1 in aggregate ${id}`,
      );
    });

    it('cannot be in two zones', async () => {
      const [one, two, same] = [
        await make('a', 'z1'),
        await make('b', 'z2'),
        await make('c', 'z1'),
      ];
      const inZone = "Reason: One or more hosts already in availability zone(s) ['z1'].";
      await join(one.id, 'compute-1');
      expectFault(
        await join(two.id, 'compute-1'),
        409,
        `Cannot add host to aggregate ${two.id}. ${inZone}`,
      );
      expect((await join(same.id, 'compute-1')).status).to.equal(200);
      expectFault(
        await ask(world, 'PUT', `/os-aggregates/${same.id}`, {
          body: { aggregate: { availability_zone: 'z3' } },
        }),
        400,
        `Cannot update aggregate ${same.id}. ${inZone}`,
      );
      expectFault(
        await act(same.id, { set_metadata: { metadata: { availability_zone: 'z3' } } }),
        400,
        `Cannot update metadata of aggregate ${same.id}. ${inZone}`,
      );
    });

    it('cannot change their zone while servers are on them', async () => {
      const [plain, zone] = [await make('plain'), await make('zone', 'z1')];
      await join(zone.id, 'compute-1');
      await putServer(world, { host: 'compute-1' });
      await putServer(world, { host: 'compute-2' });
      expectFault(
        await join(zone.id, 'compute-2'),
        409,
        /would change from 'None' to 'z1' but the host already has 1 instance\(s\)/,
      );
      expectFault(
        await act(zone.id, { remove_host: { host: 'compute-1' } }),
        409,
        /would change from 'z1' to 'None'/,
      );
      expectFault(
        await ask(world, 'PUT', `/os-aggregates/${zone.id}`, {
          body: { aggregate: { availability_zone: 'z2' } },
        }),
        400,
        `Cannot update aggregate ${zone.id}. ` +
          'Reason: One or more hosts contain instances in this zone.',
      );
      expect((await join(plain.id, 'compute-2')).status).to.equal(200);
    });
  });

  describe('POST /os-aggregates/{id}/action', () => {
    it('updates metadata, and removes items that are null', async () => {
      const { id } = await make('a', 'z');
      expect(
        (await act(id, { set_metadata: { metadata: { ssd: 'true', x: 'y' } } })).body.aggregate
          .metadata,
      ).to.deep.equal({
        availability_zone: 'z',
        ssd: 'true',
        x: 'y',
      });
      expect(
        (await act(id, { set_metadata: { metadata: { x: null, ssd: 'false' } } })).body.aggregate
          .metadata,
      ).to.deep.equal({
        availability_zone: 'z',
        ssd: 'false',
      });
    });

    it('returns 400 when the zone is removed', async () => {
      const { id } = await make('a', 'z');
      expectFault(
        await act(id, { set_metadata: { metadata: { availability_zone: null } } }),
        400,
        /does not support empty named availability zone/,
      );
    });

    it('returns 400 for unknown actions, ids and hosts', async () => {
      const { id } = await make('a');
      expectFault(await act(id, { paint: {} }), 400, 'There is no such action: paint');
      expectFault(await act(id, {}), 400, 'Malformed request body');
      expectFault(
        await act('x', { add_host: { host: 'compute-1' } }),
        400,
        'Invalid input received: id must be an integer',
      );
      expectFault(await act(id, { add_host: { host: 'a b' } }), 400, /does not match/);
    });
  });

  describe('POST /os-aggregates/{id}/images', () => {
    const image = '11111111-1111-1111-1111-111111111111';

    it('accepts images from 2.81 on', async () => {
      const { id } = await make('a');
      const cache = (ids: string[], version = '2.81') =>
        ask(world, 'POST', `/os-aggregates/${id}/images`, {
          version,
          body: { cache: ids.map((imageId) => ({ id: imageId })) },
        });
      const reply = await cache([image]);
      expect([reply.status, reply.text]).to.deep.equal([202, '']);
      expectFault(await cache([image, image]), 400, 'Duplicate images in request');
      expectFault(await cache([image], '2.80'), 404, 'The resource could not be found.');
    });
  });
});
