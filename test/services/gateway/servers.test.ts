// Tests of the Compute gateway: servers are created in the pod of their tenant, and found there
// again.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, alice, bob, messageOf, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: servers', threePods, (world) => {
  let cloud: Tenancy;
  beforeEach(() => (cloud = new Tenancy(world)));

  describe('POST /servers', () => {
    it('creates in the oldest pod, shows the zone of tenants, and leads there from then on', async () => {
      const { id, links } = await cloud.server('a', {
        availability_zone: 'az1',
        metadata: { kept: 'yes' },
      });
      expect(await cloud.podOf(id)).to.equal('Pod1');
      const shown = ((await cloud.nova('GET', `/servers/${id}`).expect(200)).body as Json)[
        'server'
      ] as Json;
      expect(shown).to.include({
        name: 'a',
        status: 'ACTIVE',
        'OS-EXT-AZ:availability_zone': 'az1',
      });
      expect(shown['metadata']).to.deep.equal({ kept: 'yes' });
      for (const { href } of [...links, ...shown['links']] as { href: string }[])
        expect(href).to.contain('/CentralRegion/compute/');
      const inPod = (
        (await cloud.nova('GET', `/servers/${id}`, { at: 'Pod1' }).expect(200)).body as Json
      )['server'] as Json;
      expect(inPod['OS-EXT-AZ:availability_zone']).to.equal('nova');
      await cloud.nova('GET', `/servers/${id}`, { at: 'Pod2' }).expect(404);
      const volumes = new URL(links[0].href as string).pathname;
      await world
        .ask('compute', 'GET', volumes, { token: alice.token, headers: { 'x-roles': alice.roles } })
        .expect(200);
    });

    it('binds a tenant in a group once, and another one by itself', async () => {
      await cloud.server('a');
      await cloud.pod('Pod1', { is_under_maintenance: true });
      const [again, other] = [await cloud.server('b'), await cloud.server('c', {}, bob)];
      expect([await cloud.podOf(again['id']), await cloud.podOf(other['id'])]).to.deep.equal([
        'Pod2',
        'Pod2',
      ]);
      await cloud.pod('Pod1', { is_under_maintenance: false });
      expect(await cloud.podOf((await cloud.server('d'))['id'] as string)).to.equal('Pod2');
    });

    it('goes by the extra specs of the flavor', async () => {
      await cloud.cad();
      const [general, cad] = [
        await cloud.server('a'),
        await cloud.server('b', { flavorRef: 'cad' }),
      ];
      expect([await cloud.podOf(general['id']), await cloud.podOf(cad['id'])]).to.deep.equal([
        'Pod1',
        'Pod4',
      ]);
    });

    it('routes all servers of one request', async () => {
      await cloud.server('many', { min_count: 3, max_count: 3 });
      const { servers } = (await cloud.nova('GET', '/servers').expect(200)).body as {
        servers: { id: string }[];
      };
      expect(servers).to.have.length(3);
      for (const { id } of servers) expect(await cloud.podOf(id)).to.equal('Pod1');
      const body = {
        server: {
          name: 'r',
          imageRef: await cloud.image(),
          flavorRef: '1',
          networks: 'none',
          min_count: 2,
          return_reservation_id: true,
        },
      };
      const reply = await cloud.nova('POST', '/servers', { as: bob, body }).expect(202);
      expect(reply.body).to.have.keys('reservation_id');
      const rows = await world.cloud.central
        .db('tricircle_routings')
        .where({ resource_type: 'server', project_id: 'bolts' });
      expect(rows).to.have.length(2);
    });

    it('brings flavor and key pair to a pod that lacks them', async () => {
      const flavor = {
        name: 'own',
        ram: 64,
        vcpus: 1,
        disk: 1,
        id: 'own',
        'os-flavor-access:is_public': false,
      };
      const keypair = {
        name: 'key',
        public_key:
          'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGVjaG8gaGVsbG8gd29ybGQgZm9yIHRlc3Rpbmch a',
        type: 'ssh',
      };
      await cloud.nova('POST', '/flavors', { as: admin, body: { flavor } }).expect(200);
      await cloud
        .nova('POST', '/flavors/own/action', {
          as: admin,
          body: { addTenantAccess: { tenant: 'acme' } },
        })
        .expect(200);
      await cloud.nova('POST', '/os-keypairs', { body: { keypair } }).expect(201);
      await cloud.nova('DELETE', '/flavors/own', { as: admin, at: 'Pod1' }).expect(202);
      await cloud.nova('DELETE', '/os-keypairs/key', { at: 'Pod1' }).expect(204);
      const { id } = await cloud.server('a', { flavorRef: 'own', key_name: 'key' });
      const shown = ((await cloud.nova('GET', `/servers/${id}`).expect(200)).body as Json)[
        'server'
      ] as Json;
      expect([shown['key_name'], shown['flavor'].original_name]).to.deep.equal(['key', 'own']);
    });

    it('brings an image of the central region to the pod, with its id and its data', async () => {
      const as = { token: alice.token, headers: { 'x-roles': alice.roles } };
      const made = await world
        .ask('image', 'POST', '/CentralRegion/image/v2/images', {
          ...as,
          body: { name: 'mine', disk_format: 'raw', container_format: 'bare' },
        })
        .expect(201);
      const { id: imageRef } = made.body as { id: string };
      const headers = { ...as.headers, 'content-type': 'application/octet-stream' };
      await world
        .ask('image', 'PUT', `/CentralRegion/image/v2/images/${imageRef}/file`, {
          ...as,
          headers,
          body: 'data',
        })
        .expect(204);
      const { id } = await cloud.server('a', { imageRef });
      expect(await cloud.podOf(id)).to.equal('Pod1');
      const there = await world
        .ask('image', 'GET', `/Pod1/image/v2/images/${imageRef}`, as)
        .expect(200);
      expect(there.body).to.include({
        name: 'mine',
        status: 'active',
        size: 4,
        visibility: 'shared',
        owner: 'acme',
      });
      const theirs = { name: 'b', imageRef, flavorRef: '1', networks: 'none' };
      await cloud.nova('POST', '/servers', { as: bob, body: { server: theirs } }).expect(400);
    });

    it('takes the network of the pod that has the name of the central one', async () => {
      const as = { token: alice.token, headers: { 'x-roles': alice.roles } };
      const { body } = await world
        .ask('network', 'GET', '/CentralRegion/network/v2.0/networks?name=private', as)
        .expect(200);
      const { id: uuid } = (body as { networks: { id: string }[] }).networks[0]!;
      const { id } = await cloud.server('a', { networks: [{ uuid }] });
      const shown = ((await cloud.nova('GET', `/servers/${id}`).expect(200)).body as Json)[
        'server'
      ] as Json;
      expect(Object.keys(shown['addresses'] as Json)).to.deep.equal(['private']);
      const missing = {
        name: 'b',
        imageRef: await cloud.image(),
        flavorRef: '1',
        networks: [{ uuid: '00000000-0000-0000-0000-000000000001' }],
      };
      await cloud.nova('POST', '/servers', { body: { server: missing } }).expect(400);
    });

    const bindings = async (): Promise<number> =>
      (await world.cloud.central.db('tricircle_bindings')).length;
    const refused: readonly (readonly [why: string, fields: Json, status: number, says: RegExp])[] =
      [
        [
          'no flavor of the central region',
          { flavorRef: 'none' },
          400,
          /^Flavor none could not be found\.$/,
        ],
        [
          'a body that Nova refuses',
          { flavorRef: '1', colour: 'red' },
          400,
          /Additional properties are not allowed/,
        ],
        [
          'a volume that is not there',
          {
            block_device_mapping_v2: [
              {
                uuid: '00000000-0000-0000-0000-000000000001',
                source_type: 'volume',
                destination_type: 'volume',
                boot_index: 0,
              },
            ],
          },
          400,
          /^Volume 0.* could not be found/,
        ],
        [
          'a zone without pods',
          { availability_zone: 'az9' },
          500,
          /^Pod not configured or scheduling failure$/,
        ],
      ];
    for (const [why, fields, status, says] of refused) {
      it(`is refused for ${why}, and binds nobody`, async () => {
        const server = {
          name: 'a',
          imageRef: await cloud.image(),
          flavorRef: '1',
          networks: 'none',
          ...fields,
        };
        const reply = await cloud.nova('POST', '/servers', { body: { server } }).expect(status);
        expect(messageOf(reply.body)).to.match(says);
        expect(await bindings()).to.equal(0);
      });
    }

    it('is refused for a reader and without a token, and binds nobody', async () => {
      const server = { name: 'a', imageRef: await cloud.image(), flavorRef: '1', networks: 'none' };
      const reader = { token: 'alice:acme', roles: 'reader' };
      const reply = await cloud
        .nova('POST', '/servers', { as: reader, body: { server } })
        .expect(403);
      expect(messageOf(reply.body)).to.equal(
        "Policy doesn't allow os_compute_api:servers:create to be performed.",
      );
      await world
        .ask('compute', 'POST', '/CentralRegion/compute/v2.1/servers', {
          token: null,
          body: { server },
        })
        .expect(401);
      expect(await bindings()).to.equal(0);
    });

    it('keeps the binding where the pod refuses, whose words the tenant gets', async () => {
      await cloud
        .nova('PUT', '/os-quota-sets/acme', {
          as: admin,
          at: 'Pod1',
          body: { quota_set: { instances: 0 } },
        })
        .expect(200);
      const server = { name: 'a', imageRef: await cloud.image(), flavorRef: '1', networks: 'none' };
      const reply = await cloud.nova('POST', '/servers', { body: { server } }).expect(403);
      expect(messageOf(reply.body)).to.match(/Quota exceeded for instances/);
      expect(await bindings()).to.equal(1);
      expect(await world.cloud.central.db('tricircle_routings')).to.deep.equal([]);
    });
  });

  describe('one server', () => {
    it('is another tenant’s 404, and stays where it is', async () => {
      const { id } = await cloud.server('a');
      await cloud.nova('GET', `/servers/${id}`, { as: bob }).expect(404);
      await cloud.nova('DELETE', `/servers/${id}`, { as: bob }).expect(404);
      await cloud.nova('GET', `/servers/${id}`).expect(200);
      await cloud.nova('GET', `/servers/${id}`, { as: admin }).expect(200);
    });

    it('is reached while its pod is under maintenance: shown, acted on, changed, deleted', async () => {
      const { id } = await cloud.server('a');
      await cloud.pod('Pod1', { is_under_maintenance: true });
      await cloud.nova('POST', `/servers/${id}/action`, { body: { 'os-stop': null } }).expect(202);
      await cloud.nova('PUT', `/servers/${id}`, { body: { server: { name: 'b' } } }).expect(200);
      await cloud
        .nova('POST', `/servers/${id}/metadata`, { body: { metadata: { one: '1' } } })
        .expect(200);
      await cloud.nova('GET', `/servers/${id}/metadata/one`).expect(200, { meta: { one: '1' } });
      const shown = ((await cloud.nova('GET', `/servers/${id}`).expect(200)).body as Json)[
        'server'
      ] as Json;
      expect(shown).to.include({ name: 'b', status: 'SHUTOFF' });
      await cloud.nova('DELETE', `/servers/${id}`).expect(204);
      const gone = await cloud.nova('GET', `/servers/${id}`).expect(404);
      expect(messageOf(gone.body)).to.equal(`Instance ${id} could not be found.`);
      expect(await cloud.podOf(id)).to.equal(undefined);
    });

    it('that its pod has lost is a 404, and forgotten', async () => {
      const { id } = await cloud.server('a');
      await cloud.nova('DELETE', `/servers/${id}`, { at: 'Pod1' }).expect(204);
      await cloud.nova('GET', `/servers/${id}`).expect(404);
      expect(await cloud.podOf(id)).to.equal(undefined);
    });

    it('is found where no row tells of it, in the pods of its tenant', async () => {
      const { id } = await cloud.server('a');
      await world.cloud.central.db('tricircle_routings').delete();
      await cloud.nova('GET', `/servers/${id}`, { as: bob }).expect(404);
      await cloud.nova('GET', `/servers/${id}`).expect(200);
      expect(await cloud.podOf(id)).to.equal('Pod1');
    });

    it('gets flavors of the central region when it is resized', async () => {
      const { id } = await cloud.server('a');
      const flavor = { name: 'later', ram: 64, vcpus: 1, disk: 1, id: 'later' };
      await cloud.nova('POST', '/flavors', { as: admin, body: { flavor } }).expect(200);
      await cloud.nova('DELETE', '/flavors/later', { as: admin, at: 'Pod1' }).expect(202);
      await cloud
        .nova('POST', `/servers/${id}/action`, { body: { resize: { flavorRef: 'later' } } })
        .expect(202);
    });

    it('has no actions that Nova does not have', async () => {
      const { id } = await cloud.server('a');
      const reply = await cloud
        .nova('POST', `/servers/${id}/action`, { body: { fly: null } })
        .expect(400);
      expect(messageOf(reply.body)).to.equal('There is no such action: fly');
    });
  });

  describe('GET /servers', () => {
    const names = async (query: string, as = alice): Promise<string[]> => {
      const { body } = await cloud.nova('GET', `/servers${query}`, { as }).expect(200);
      return ((body as Json)['servers'] as { name: string }[]).map(({ name }) => name);
    };
    beforeEach(async () => {
      await cloud.cad();
      for (const [name, flavorRef] of [
        ['b', '1'],
        ['d', 'cad'],
        ['a', '1'],
        ['c', 'cad'],
      ] as const) {
        await cloud.server(name, { flavorRef });
        await world.http.post('/_emulator/clock/advance').send({ seconds: 1 }).expect(200);
      }
      await cloud.server('theirs', {}, bob);
    });

    it('lists what is in all pods as one list, the latest first', async () => {
      expect(await names('')).to.deep.equal(['c', 'a', 'd', 'b']);
      expect(await names('/detail')).to.deep.equal(['c', 'a', 'd', 'b']);
      expect(await names('', bob)).to.deep.equal(['theirs']);
    });

    it('sorts over the pods', async () => {
      expect(await names('?sort_key=display_name&sort_dir=asc')).to.deep.equal([
        'a',
        'b',
        'c',
        'd',
      ]);
      expect(await names('?sort_key=display_name&sort_dir=desc')).to.deep.equal([
        'd',
        'c',
        'b',
        'a',
      ]);
      expect(await names('?sort_key=created_at&sort_dir=asc')).to.deep.equal(['b', 'd', 'a', 'c']);
    });

    it('gives pages over the pods, with links that lead through all of them', async () => {
      const seen: string[] = [];
      let path: string | undefined =
        '/CentralRegion/compute/v2.1/servers/detail?limit=1&sort_key=display_name&sort_dir=asc';
      for (let page = 0; path !== undefined && page < 9; page++) {
        const asked = { token: alice.token, headers: { 'x-roles': alice.roles }, version: '2.90' };
        const { body } = await world.ask('compute', 'GET', path, asked).expect(200);
        const { servers, servers_links: links } = body as {
          servers: { name: string }[];
          servers_links?: { href: string }[];
        };
        seen.push(...servers.map(({ name }) => name));
        const next = links?.[0]?.href;
        path = next === undefined ? undefined : next.slice(new URL(next).origin.length);
      }
      expect(seen).to.deep.equal(['a', 'b', 'c', 'd']);
      const reply = await cloud
        .nova('GET', '/servers?marker=00000000-0000-0000-0000-000000000001')
        .expect(400);
      expect(messageOf(reply.body)).to.match(/^marker \[0.*\] not found$/);
    });

    it('filters in the pods, and by the zone of tenants', async () => {
      expect(await names('?name=a')).to.deep.equal(['a']);
      expect(await names('?flavor=cad')).to.deep.equal(['c', 'd']);
      expect(await names('?availability_zone=az1')).to.have.length(4);
      expect(await names('?availability_zone=nova')).to.deep.equal([]);
    });

    it('shows all tenants to administrators only, with a page of their own size', async () => {
      expect(await names('?all_tenants=1', admin)).to.have.members(['a', 'b', 'c', 'd', 'theirs']);
      await cloud.nova('GET', '/servers?all_tenants=1').expect(403);
      expect(await names('?all_tenants=1&limit=2', admin)).to.have.length(2);
    });

    it('has what rows do not tell of, and routes it', async () => {
      await world.cloud.central.db('tricircle_routings').delete();
      expect(await names('')).to.deep.equal(['c', 'a', 'd', 'b']);
      expect(
        await world.cloud.central.db('tricircle_routings').where({ project_id: 'acme' }),
      ).to.have.length(4);
    });
  });
});
