// Tests of servers at the Compute gateway: creating them in pods, and reaching them there.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, alice, bob, messageOf, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: servers', threePods, (world) => {
  let cloud: Tenancy;
  beforeEach(() => (cloud = new Tenancy(world)));

  for (const path of ['/servers/detail/os-interface', '/servers/detail/diagnostics'])
    it(`GET ${path} returns 404 for the word in the place of an id`, async () => {
      await cloud.server('a');
      await cloud.nova('GET', path).expect(404);
    });

  describe('POST /servers', () => {
    it('creates the server in the oldest pod only #tricircle-5 #tricircle-24', async () => {
      const { id } = await cloud.server('a', { metadata: { kept: 'yes' } });
      expect(await cloud.podOf(id)).to.equal('Pod1');
      const shown = await cloud.show(id);
      expect(shown).to.include({ name: 'a', status: 'ACTIVE' });
      expect(shown['metadata']).to.deep.equal({ kept: 'yes' });
      await cloud.nova('GET', `/servers/${id}`, { at: 'Pod1' }).expect(200);
      await cloud.nova('GET', `/servers/${id}`, { at: 'Pod2' }).expect(404);
    });

    it("shows the tenants' zone at the gateway, and the pod's own zone in the pod #tricircle-3", async () => {
      const { id } = await cloud.server('a', { availability_zone: 'az1' });
      expect(await cloud.show(id)).to.include({ 'OS-EXT-AZ:availability_zone': 'az1' });
      const inPod = (
        (await cloud.nova('GET', `/servers/${id}`, { at: 'Pod1' }).expect(200)).body as Json
      )['server'] as Json;
      expect(inPod['OS-EXT-AZ:availability_zone']).to.equal('nova');
    });

    it('returns links that lead to the gateway #tricircle-3', async () => {
      const { id, links } = await cloud.server('a');
      const shown = await cloud.show(id);
      for (const { href } of [...links, ...shown['links']] as { href: string }[])
        expect(href).to.contain('/CentralRegion/compute/');
      const path = new URL(links[0].href as string).pathname;
      await world
        .ask('compute', 'GET', path, { token: alice.token, headers: { 'x-roles': alice.roles } })
        .expect(200);
    });

    it("moves a tenant's binding away from a pod under maintenance, and not back #tricircle-11", async () => {
      const first = await cloud.server('a');
      await cloud.pod('Pod1', { is_under_maintenance: true });
      const second = await cloud.server('b');
      await cloud.pod('Pod1', { is_under_maintenance: false });
      const third = await cloud.server('c');
      const pods = await Promise.all([first, second, third].map(({ id }) => cloud.podOf(id)));
      expect(pods).to.deep.equal(['Pod1', 'Pod2', 'Pod2']);
    });

    it('binds each tenant separately', async () => {
      const first = await cloud.server('a');
      await cloud.pod('Pod1', { is_under_maintenance: true });
      const other = await cloud.server('b', {}, bob);
      await cloud.pod('Pod1', { is_under_maintenance: false });
      const second = await cloud.server('c');
      const pods = await Promise.all([first, other, second].map(({ id }) => cloud.podOf(id)));
      expect(pods).to.deep.equal(['Pod1', 'Pod2', 'Pod1']);
    });

    it('chooses the pod by the extra specs of the flavor #tricircle-15', async () => {
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

    it('routes all servers of a request for several', async () => {
      await cloud.server('many', { min_count: 3, max_count: 3 });
      const { servers } = (await cloud.nova('GET', '/servers').expect(200)).body as {
        servers: { id: string }[];
      };
      expect(servers).to.have.length(3);
      for (const { id } of servers) expect(await cloud.podOf(id)).to.equal('Pod1');
    });

    it('routes all servers of a request that returns a reservation id', async () => {
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

    it('copies the flavor and the key pair to a pod that lacks them', async () => {
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
      const shown = await cloud.show(id);
      expect([shown['key_name'], shown['flavor'].original_name]).to.deep.equal(['key', 'own']);
    });

    describe('with an image of the central region', () => {
      const as = { token: alice.token, headers: { 'x-roles': alice.roles } };
      let imageRef: string;
      beforeEach(async () => {
        const created = await world
          .ask('image', 'POST', '/CentralRegion/image/v2/images', {
            ...as,
            body: { name: 'mine', disk_format: 'raw', container_format: 'bare' },
          })
          .expect(201);
        imageRef = (created.body as { id: string }).id;
        const headers = { ...as.headers, 'content-type': 'application/octet-stream' };
        await world
          .ask('image', 'PUT', `/CentralRegion/image/v2/images/${imageRef}/file`, {
            ...as,
            headers,
            body: 'data',
          })
          .expect(204);
      });

      it('copies the image to the pod, with its id and its data #tricircle-3', async () => {
        const { id } = await cloud.server('a', { imageRef });
        expect(await cloud.podOf(id)).to.equal('Pod1');
        const copy = await world
          .ask('image', 'GET', `/Pod1/image/v2/images/${imageRef}`, as)
          .expect(200);
        expect(copy.body).to.include({
          name: 'mine',
          status: 'active',
          size: 4,
          visibility: 'shared',
          owner: 'acme',
        });
        const data = await world
          .ask('image', 'GET', `/Pod1/image/v2/images/${imageRef}/file`, as)
          .expect(200);
        expect(data.body.toString()).to.equal('data');
      });

      it("returns 400 for another tenant's image, even if the pod has a copy", async () => {
        await cloud.server('a', { imageRef });
        const server = { name: 'b', imageRef, flavorRef: '1', networks: 'none' };
        await cloud.nova('POST', '/servers', { as: bob, body: { server } }).expect(400);
      });
    });

    it('returns 400 for an unknown network', async () => {
      const server = {
        name: 'b',
        imageRef: await cloud.image(),
        flavorRef: '1',
        networks: [{ uuid: '00000000-0000-0000-0000-000000000001' }],
      };
      await cloud.nova('POST', '/servers', { body: { server } }).expect(400);
    });

    it('returns 400 if max_count is less than min_count, and creates no port', async () => {
      const server = {
        name: 'c',
        imageRef: await cloud.image(),
        flavorRef: '1',
        networks: 'auto',
        min_count: 2,
        max_count: 1,
      };
      const reply = await cloud.nova('POST', '/servers', { body: { server } }).expect(400);
      expect(messageOf(reply.body)).to.equal('min_count must be <= max_count');
    });

    const bindings = async (): Promise<number> =>
      (await world.cloud.central.db('tricircle_bindings')).length;
    const refusals: readonly (readonly [
      cause: string,
      fields: Json,
      status: number,
      text: RegExp,
    ])[] = [
      [
        'a flavor that the central region does not have',
        { flavorRef: 'none' },
        400,
        /^Flavor none could not be found\.$/,
      ],
      [
        "a body that Nova's schema refuses",
        { flavorRef: '1', colour: 'red' },
        400,
        /Additional properties are not allowed/,
      ],
      [
        'an unknown volume',
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
        /^Block Device Mapping is Invalid: failed to get volume 0.*\.$/,
      ],
      [
        'an availability zone without pods',
        { availability_zone: 'az9' },
        500,
        /^Pod not configured or scheduling failure$/,
      ],
    ];
    for (const [cause, fields, status, text] of refusals) {
      it(`returns ${status} for ${cause}, and creates no binding`, async () => {
        const server = {
          name: 'a',
          imageRef: await cloud.image(),
          flavorRef: '1',
          networks: 'none',
          ...fields,
        };
        const reply = await cloud.nova('POST', '/servers', { body: { server } }).expect(status);
        expect(messageOf(reply.body)).to.match(text);
        expect(await bindings()).to.equal(0);
      });
    }

    it('returns 403 to a reader, and creates no binding', async () => {
      const server = { name: 'a', imageRef: await cloud.image(), flavorRef: '1', networks: 'none' };
      const reader = { token: 'alice:acme', roles: 'reader' };
      const reply = await cloud
        .nova('POST', '/servers', { as: reader, body: { server } })
        .expect(403);
      expect(messageOf(reply.body)).to.equal(
        "Policy doesn't allow os_compute_api:servers:create to be performed.",
      );
      expect(await bindings()).to.equal(0);
    });

    it('returns 401 without a token, and creates no binding', async () => {
      const server = { name: 'a', imageRef: await cloud.image(), flavorRef: '1', networks: 'none' };
      await world
        .ask('compute', 'POST', '/CentralRegion/compute/v2.1/servers', {
          token: null,
          body: { server },
        })
        .expect(401);
      expect(await bindings()).to.equal(0);
    });

    it("returns the pod's error, keeps the binding and adds no routing #tricircle-22", async () => {
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

  describe('/servers/{server_id}', () => {
    it('returns 404 for a server of another tenant, and keeps its routing', async () => {
      const { id } = await cloud.server('a');
      await cloud.nova('GET', `/servers/${id}`, { as: bob }).expect(404);
      await cloud.nova('DELETE', `/servers/${id}`, { as: bob }).expect(404);
      await cloud.nova('GET', `/servers/${id}`).expect(200);
      await cloud.nova('GET', `/servers/${id}`, { as: admin }).expect(200);
      expect(await cloud.podOf(id)).to.equal('Pod1');
    });

    it('forwards requests to a pod under maintenance', async () => {
      const { id } = await cloud.server('a');
      await cloud.pod('Pod1', { is_under_maintenance: true });
      await cloud.nova('POST', `/servers/${id}/action`, { body: { 'os-stop': null } }).expect(202);
      await cloud.nova('PUT', `/servers/${id}`, { body: { server: { name: 'b' } } }).expect(200);
      await cloud
        .nova('POST', `/servers/${id}/metadata`, { body: { metadata: { one: '1' } } })
        .expect(200);
      await cloud.nova('GET', `/servers/${id}/metadata/one`).expect(200, { meta: { one: '1' } });
      expect(await cloud.show(id)).to.include({ name: 'b', status: 'SHUTOFF' });
    });

    it('removes the routing of a server that it deletes', async () => {
      const { id } = await cloud.server('a');
      await cloud.nova('DELETE', `/servers/${id}`).expect(204);
      const gone = await cloud.nova('GET', `/servers/${id}`).expect(404);
      expect(messageOf(gone.body)).to.equal(`Instance ${id} could not be found.`);
      expect(await cloud.podOf(id)).to.equal(undefined);
    });

    it('returns 404 and removes the routing if the pod no longer has the server', async () => {
      const { id } = await cloud.server('a');
      await cloud.nova('DELETE', `/servers/${id}`, { at: 'Pod1' }).expect(204);
      await cloud.nova('GET', `/servers/${id}`).expect(404);
      expect(await cloud.podOf(id)).to.equal(undefined);
    });

    it("finds a server without a routing in its tenant's pods, and routes it", async () => {
      const { id } = await cloud.server('a');
      await world.cloud.central.db('tricircle_routings').delete();
      await cloud.nova('GET', `/servers/${id}`, { as: bob }).expect(404);
      await cloud.nova('GET', `/servers/${id}`).expect(200);
      expect(await cloud.podOf(id)).to.equal('Pod1');
    });

    it('copies a flavor of the central region to the pod for a resize', async () => {
      const { id } = await cloud.server('a');
      const flavor = { name: 'later', ram: 64, vcpus: 1, disk: 1, id: 'later' };
      await cloud.nova('POST', '/flavors', { as: admin, body: { flavor } }).expect(200);
      await cloud.nova('DELETE', '/flavors/later', { as: admin, at: 'Pod1' }).expect(202);
      await cloud
        .nova('POST', `/servers/${id}/action`, { body: { resize: { flavorRef: 'later' } } })
        .expect(202);
    });

    it('returns 400 for an action that Nova does not have', async () => {
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

    it('lists the servers of all pods, newest first, to their own tenant #tricircle-3', async () => {
      expect(await names('')).to.deep.equal(['c', 'a', 'd', 'b']);
      expect(await names('/detail')).to.deep.equal(['c', 'a', 'd', 'b']);
      expect(await names('', bob)).to.deep.equal(['theirs']);
    });

    it('sorts across pods by sort_key and sort_dir', async () => {
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

    it('pages across pods, with a link to each next page', async () => {
      const seen: string[] = [];
      let path: string | undefined =
        '/CentralRegion/compute/v2.1/servers/detail?limit=1&sort_key=display_name&sort_dir=asc';
      for (let page = 0; path !== undefined && page < 9; page++) {
        const options = {
          token: alice.token,
          headers: { 'x-roles': alice.roles },
          version: '2.90',
        };
        const { body } = await world.ask('compute', 'GET', path, options).expect(200);
        const { servers, servers_links: links } = body as {
          servers: { name: string }[];
          servers_links?: { href: string }[];
        };
        seen.push(...servers.map(({ name }) => name));
        const next = links?.[0]?.href;
        path = next === undefined ? undefined : next.slice(new URL(next).origin.length);
      }
      expect(seen).to.deep.equal(['a', 'b', 'c', 'd']);
    });

    it('returns 400 for an unknown marker', async () => {
      const reply = await cloud
        .nova('GET', '/servers?marker=00000000-0000-0000-0000-000000000001')
        .expect(400);
      expect(messageOf(reply.body)).to.match(/^marker \[0.*\] not found$/);
    });

    it('filters by the fields of a server', async () => {
      expect(await names('?name=a')).to.deep.equal(['a']);
      expect(await names('?flavor=cad')).to.deep.equal(['c', 'd']);
    });

    it("filters by the tenants' availability zone", async () => {
      expect(await names('?availability_zone=az1')).to.have.length(4);
      expect(await names('?availability_zone=nova')).to.deep.equal([]);
    });

    it('lists the servers of all tenants, in pages, to an administrator', async () => {
      expect(await names('?all_tenants=1', admin)).to.have.members(['a', 'b', 'c', 'd', 'theirs']);
      expect(await names('?all_tenants=1&limit=2', admin)).to.have.length(2);
    });

    it('returns 403 to a member who asks for all tenants', async () => {
      await cloud.nova('GET', '/servers?all_tenants=1').expect(403);
    });

    it('lists servers without a routing, and routes them', async () => {
      await world.cloud.central.db('tricircle_routings').delete();
      expect(await names('')).to.deep.equal(['c', 'a', 'd', 'b']);
      expect(
        await world.cloud.central.db('tricircle_routings').where({ project_id: 'acme' }),
      ).to.have.length(4);
    });
  });
});
