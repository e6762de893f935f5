// Tests of volumes at the Block storage gateway, and of attaching them to servers.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, alice, bob, messageOf, Tenancy, threePods, type Json } from './support.ts';

const unknownId = '00000000-0000-0000-0000-000000000001';

onEachDatabase('gateway: volumes', threePods, (world) => {
  let cloud: Tenancy;
  beforeEach(() => (cloud = new Tenancy(world)));
  const attach = (server: Json, volumeId: unknown) =>
    cloud.nova('POST', `/servers/${server['id']}/os-volume_attachments`, {
      body: { volumeAttachment: { volumeId } },
    });

  describe('POST /volumes', () => {
    it("creates the volume in the pod of its tenant's servers, and routes it #tricircle-5 #tricircle-7", async () => {
      const [server, volume] = [await cloud.server('a'), await cloud.volume('v')];
      expect([await cloud.podOf(server['id']), await cloud.podOf(volume['id'])]).to.deep.equal([
        'Pod1',
        'Pod1',
      ]);
    });

    it("shows the tenants' zone, and links to the gateway", async () => {
      const { id, availability_zone: zone } = await cloud.volume('v', { availability_zone: 'az1' });
      expect(zone).to.equal('az1');
      const shown = ((await cloud.cinder('GET', `/volumes/${id}`).expect(200)).body as Json)[
        'volume'
      ] as Json;
      expect(shown).to.include({ availability_zone: 'az1' });
      for (const { href } of shown['links'] as { href: string }[])
        expect(href).to.contain('/CentralRegion/volume/');
    });

    it('chooses the pod by the extra specs of the volume type, and keeps its name #tricircle-15', async () => {
      await cloud.cad();
      const volume = await cloud.volume('v', { volume_type: 'cad-vol' });
      expect([await cloud.podOf(volume['id']), volume['volume_type']]).to.deep.equal([
        'Pod4',
        'cad-vol',
      ]);
      const server = await cloud.server('a', { flavorRef: 'cad' });
      await attach(server, volume['id']).expect(200);
    });

    it('returns 404 for an unknown volume type', async () => {
      const missing = await cloud
        .cinder('POST', '/volumes', { body: { volume: { size: 1, volume_type: 'gold' } } })
        .expect(404);
      expect(messageOf(missing.body)).to.equal('Volume type with name gold could not be found.');
    });

    it('returns 404 for an unknown source', async () => {
      for (const [field, label] of [
        ['source_volid', 'Volume'],
        ['snapshot_id', 'Snapshot'],
      ] as const) {
        const volume = { size: 1, [field]: unknownId };
        const missing = await cloud.cinder('POST', '/volumes', { body: { volume } }).expect(404);
        expect(messageOf(missing.body)).to.equal(`${label} ${unknownId} could not be found.`);
      }
    });

    it('uses a pod without a tag for a volume type whose tag no pod has', async () => {
      await cloud.cad();
      const odd = { name: 'odd', extra_specs: { resource: 'Something else' } };
      await cloud.cinder('POST', '/types', { as: admin, body: { volume_type: odd } }).expect(200);
      const volume = await cloud.volume('v', { volume_type: 'odd' });
      expect(await cloud.podOf(volume['id'])).to.equal('Pod1');
    });

    it('returns 500 for a volume type whose pods are all under maintenance', async () => {
      await cloud.cad();
      await cloud.pod('Pod4', { is_under_maintenance: true });
      const refused = await cloud
        .cinder('POST', '/volumes', { body: { volume: { size: 1, volume_type: 'cad-vol' } } })
        .expect(500);
      expect(messageOf(refused.body)).to.equal('Pod not configured or scheduling failure');
    });

    describe('for a tenant that has since been bound to another pod', () => {
      let [server, volume, snapshot]: Json[] = [];
      beforeEach(async () => {
        [server, volume] = [await cloud.server('a'), await cloud.volume('v')];
        const { body } = await cloud
          .cinder('POST', '/snapshots', {
            body: { snapshot: { volume_id: volume['id'], name: 's' } },
          })
          .expect(202);
        snapshot = (body as Json)['snapshot'] as Json;
        await cloud.pod('Pod1', { threshold_percent: 1 });
        await cloud.tricircle('POST', '/usages', { usage: {} }).expect(200);
        expect(await cloud.podOf((await cloud.volume('next'))['id'])).to.equal('Pod2');
      });
      const local = () => ({
        volume: { name: 'l', size: 1 },
        'OS-SCH-HNT:scheduler_hints': { local_to_instance: server!['id'] },
      });

      it('creates a copy of a volume in the pod of that volume', async () => {
        const { id } = await cloud.volume('copy', { source_volid: volume!['id'] });
        expect(await cloud.podOf(id)).to.equal('Pod1');
      });

      it('creates a volume from a snapshot in the pod of the snapshot', async () => {
        expect(await cloud.podOf(snapshot!['id'])).to.equal('Pod1');
        const { id } = await cloud.volume('copy', { snapshot_id: snapshot!['id'] });
        expect(await cloud.podOf(id)).to.equal('Pod1');
      });

      it('creates a volume with the hint local_to_instance in the pod of the server #tricircle-7', async () => {
        const { body } = await cloud.cinder('POST', '/volumes', { body: local() }).expect(202);
        expect(await cloud.podOf((body as Json)['volume'].id)).to.equal('Pod1');
      });

      it('creates it there if the pod is under maintenance, and attaches it', async () => {
        await cloud.pod('Pod1', { is_under_maintenance: true });
        const { body } = await cloud.cinder('POST', '/volumes', { body: local() }).expect(202);
        const { id } = (body as Json)['volume'] as Json;
        expect(await cloud.podOf(id)).to.equal('Pod1');
        await attach(server!, id).expect(200);
      });

      it('returns 409 for copies of what is in a pod under maintenance', async () => {
        await cloud.pod('Pod1', { is_under_maintenance: true });
        for (const source of [{ source_volid: volume!['id'] }, { snapshot_id: snapshot!['id'] }])
          await cloud.cinder('POST', '/volumes', { body: { volume: source } }).expect(409);
      });

      it('returns 400 for the hint with a source in another pod, and names the pods', async () => {
        const source = await cloud.volume('other');
        const body = local();
        Object.assign(body.volume, { source_volid: source['id'] });
        const refused = await cloud.cinder('POST', '/volumes', { body }).expect(400);
        expect(messageOf(refused.body)).to.match(
          /^Server and volume not in the same pod: the request refers to resources in Pod1, Pod2\. /,
        );
      });

      describe('that prefers the pod of a server for its volumes', () => {
        const prefer = (localToInstance: unknown) =>
          cloud.preferVolumes({ local_to_instance: localToInstance });
        const podOfNew = async (fields: Json = {}, as = alice): Promise<unknown> =>
          cloud.podOf((await cloud.volume('new', fields, as))['id']);

        it('creates a new volume in the pod of the server, even under maintenance #tricircle-7', async () => {
          await prefer(server!['id']).expect(200);
          await cloud.pod('Pod1', { is_under_maintenance: true });
          const { id } = await cloud.volume('new');
          expect(await cloud.podOf(id)).to.equal('Pod1');
          await attach(server!, id).expect(200);
        });

        it('creates a new volume in the pod of the latest server', async () => {
          await prefer('latest').expect(200);
          expect(await podOfNew()).to.equal('Pod1');
          expect(await cloud.podOf((await cloud.server('b'))['id'])).to.equal('Pod2');
          expect(await podOfNew()).to.equal('Pod2');
        });

        it('creates a general volume in the pod of a server of a group', async () => {
          await cloud.cad();
          const cad = await cloud.server('c', { flavorRef: 'cad' });
          await prefer('latest').expect(200);
          const { id } = await cloud.volume('new');
          expect(await cloud.podOf(id)).to.equal('Pod4');
          await attach(cad, id).expect(200);
        });

        it('follows the volume type, references, and other tenants of their own', async () => {
          await cloud.cad();
          await prefer(server!['id']).expect(200);
          expect(await podOfNew({ volume_type: 'cad-vol' })).to.equal('Pod4');
          const other = await cloud.server('b');
          const body = local();
          body['OS-SCH-HNT:scheduler_hints'].local_to_instance = other['id'];
          const created = await cloud.cinder('POST', '/volumes', { body }).expect(202);
          expect(await cloud.podOf((created.body as Json)['volume'].id)).to.equal('Pod2');
          expect(await podOfNew({}, bob)).to.equal('Pod2');
        });

        it('uses the pod of the binding again after the server is deleted', async () => {
          await prefer(server!['id']).expect(200);
          await cloud.nova('DELETE', `/servers/${server!['id']}`).expect(204);
          await cloud.nova('GET', `/servers/${server!['id']}`).expect(404);
          expect(await podOfNew()).to.equal('Pod2');
        });
      });
    });
  });

  describe('/volumes/{volume_id}', () => {
    it('attaches, detaches and deletes a volume in its pod', async () => {
      const [server, volume] = [await cloud.server('a'), await cloud.volume('v')];
      await attach(server, volume['id']).expect(200);
      const shown = (
        (await cloud.cinder('GET', `/volumes/${volume['id']}`).expect(200)).body as Json
      )['volume'] as Json;
      expect(shown).to.include({ status: 'in-use' });
      await cloud
        .nova('DELETE', `/servers/${server['id']}/os-volume_attachments/${volume['id']}`)
        .expect(202);
      await cloud.cinder('DELETE', `/volumes/${volume['id']}`).expect(202);
      expect(
        messageOf((await cloud.cinder('GET', `/volumes/${volume['id']}`).expect(404)).body),
      ).to.match(/could not be found/);
      expect(await cloud.podOf(volume['id'])).to.equal(undefined);
    });

    it('renames, extends and retypes a volume in a pod under maintenance', async () => {
      const { id } = await cloud.volume('v');
      await cloud.pod('Pod1', { is_under_maintenance: true });
      await cloud.cinder('PUT', `/volumes/${id}`, { body: { volume: { name: 'w' } } }).expect(200);
      await cloud
        .cinder('POST', `/volumes/${id}/action`, { body: { 'os-extend': { new_size: 2 } } })
        .expect(202);
      await cloud
        .cinder('POST', `/volumes/${id}/metadata`, { body: { metadata: { k: 'v' } } })
        .expect(200);
      await cloud
        .cinder('POST', '/types', { as: admin, body: { volume_type: { name: 'later' } } })
        .expect(200);
      const retype = { 'os-retype': { new_type: 'later', migration_policy: 'on-demand' } };
      await cloud.cinder('POST', `/volumes/${id}/action`, { body: retype }).expect(202);
      const shown = ((await cloud.cinder('GET', `/volumes/${id}`).expect(200)).body as Json)[
        'volume'
      ] as Json;
      expect(shown).to.include({ name: 'w', size: 2, volume_type: 'later' });
      expect(shown['metadata']).to.deep.equal({ k: 'v' });
    });

    it('returns 404 for a volume of another tenant, and for an unknown volume', async () => {
      const { id } = await cloud.volume('v');
      await cloud.cinder('GET', `/volumes/${id}`, { as: bob }).expect(404);
      await cloud.cinder('GET', `/volumes/${unknownId}`).expect(404);
    });
  });

  describe('a server and a volume in different pods', () => {
    const text =
      'Server and volume not in the same pod: the server is in Pod1, the volume in Pod2. A volume ' +
      'that is created with the scheduler hint local_to_instance is in the pod of that server. ' +
      'An administrator can move one of them with POST /tricircle/v1.0/migrations.';
    let [server, volume]: Json[] = [];
    beforeEach(async () => {
      server = await cloud.server('a');
      await cloud.pod('Pod1', { is_under_maintenance: true });
      volume = await cloud.volume('v');
      expect(await cloud.podOf(volume['id'])).to.equal('Pod2');
    });

    it('POST os-volume_attachments returns 400 #tricircle-6', async () => {
      const reply = await attach(server!, volume!['id']).expect(400);
      expect(messageOf(reply.body)).to.equal(text);
    });

    it('POST os-volume_attachments returns 404 for an unknown volume', async () => {
      expect(messageOf((await attach(server!, unknownId).expect(404)).body)).to.equal(
        `Volume ${unknownId} could not be found.`,
      );
    });

    it('POST /volumes/{volume_id}/action returns 400 for os-attach', async () => {
      const body = { 'os-attach': { instance_uuid: server!['id'], mountpoint: '/dev/vdc' } };
      const reply = await cloud
        .cinder('POST', `/volumes/${volume!['id']}/action`, { body })
        .expect(400);
      expect(messageOf(reply.body)).to.equal(text);
    });

    it('POST /servers returns 400 for a block device and a hint in different pods', async () => {
      const device = {
        uuid: volume!['id'],
        source_type: 'volume',
        destination_type: 'volume',
        boot_index: -1,
      };
      const other = await cloud.server('b');
      expect(await cloud.podOf(other['id'])).to.equal('Pod2');
      const both = {
        name: 'c',
        imageRef: await cloud.image(),
        flavorRef: '1',
        networks: 'none',
        block_device_mapping_v2: [device],
      };
      const hints = { same_host: [server!['id']] };
      const reply = await cloud
        .nova('POST', '/servers', { body: { server: both, 'os:scheduler_hints': hints } })
        .expect(400);
      expect(messageOf(reply.body)).to.match(
        /^Server and volume not in the same pod: the request refers to resources in Pod1, Pod2\. /,
      );
    });
  });

  describe('GET /volumes/summary', () => {
    it('adds up the volumes of all pods, and merges the values of their metadata', async () => {
      await cloud.volume('a', { size: 2, metadata: { kind: 'x' } });
      await cloud.pod('Pod1', { is_under_maintenance: true });
      await cloud.volume('b', { size: 3, metadata: { kind: 'y', other: 'z' } });
      const { body } = await cloud.cinder('GET', '/volumes/summary').expect(200);
      expect((body as Json)['volume-summary']).to.deep.equal({
        total_count: 2,
        total_size: 5,
        metadata: { kind: ['x', 'y'], other: ['z'] },
      });
    });

    it('has no metadata before 3.36', async () => {
      await cloud.volume('a');
      const { body } = await cloud
        .cinder('GET', '/volumes/summary', { version: '3.12' })
        .expect(200);
      expect((body as Json)['volume-summary']).to.deep.equal({ total_count: 1, total_size: 1 });
    });

    it('sums up all projects for an administrator with all_tenants=1', async () => {
      await cloud.volume('a');
      await cloud.volume('b', {}, bob);
      const { body } = await cloud
        .cinder('GET', '/volumes/summary?all_tenants=1', { as: admin })
        .expect(200);
      expect((body as Json)['volume-summary']).to.include({ total_count: 2 });
    });
  });

  for (const path of ['/volumes/detail/metadata', '/snapshots/detail/metadata'])
    it(`GET ${path} returns 404 for the word in the place of an id`, async () => {
      await cloud.volume('a');
      await cloud.cinder('GET', path).expect(404);
    });

  describe('GET /volumes', () => {
    const names = async (query: string, as = alice): Promise<string[]> =>
      (
        ((await cloud.cinder('GET', `/volumes${query}`, { as }).expect(200)).body as Json)[
          'volumes'
        ] as { name: string }[]
      ).map(({ name }) => name);
    beforeEach(async () => {
      await cloud.cad();
      for (const [name, type] of [
        ['b', null],
        ['c', 'cad-vol'],
        ['a', 'cad-vol'],
      ] as const)
        await cloud.volume(name, type === null ? {} : { volume_type: type });
      await cloud.volume('theirs', {}, bob);
    });

    it('sorts and pages across pods', async () => {
      expect(await names('?sort=name:asc')).to.deep.equal(['a', 'b', 'c']);
      expect(await names('/detail?sort=name:desc&limit=2')).to.deep.equal(['c', 'b']);
      expect(await names('?sort=name:asc&limit=1&offset=1')).to.deep.equal(['b']);
    });

    it('reads all pages of a pod whose pages are small', async () => {
      await world.http
        .put('/_emulator/volume/settings')
        .send({ region: 'Pod1', osapi_max_limit: 1 })
        .expect(200);
      await cloud.volume('d');
      expect(await names('?sort=name:asc')).to.deep.equal(['a', 'b', 'c', 'd']);
    });

    it('filters by name', async () => {
      expect(await names('?name=c')).to.deep.equal(['c']);
    });

    it('lists the volumes of all tenants to an administrator', async () => {
      expect(await names('?all_tenants=1', admin)).to.have.members(['a', 'b', 'c', 'theirs']);
    });

    it('counts the volumes of all pods, and links to the next page', async () => {
      const counted = (
        await cloud.cinder('GET', '/volumes?sort=name:asc&limit=2&with_count=true').expect(200)
      ).body as Json;
      expect(counted['count']).to.equal(3);
      expect(counted['volumes_links'][0].href).to.match(
        /\/CentralRegion\/volume\/v3\/volumes\?.*limit=2.*marker=/,
      );
    });
  });
});

onEachDatabase(
  'gateway: pods with 10 GiB for volumes',
  { ...threePods, volumeCapacity: 10 },
  (world) => {
    it('moves a tenant to the next pod when volumes exceed the threshold #tricircle-9', async () => {
      const cloud = new Tenancy(world);
      const pods: unknown[] = [];
      for (const name of ['a', 'b', 'c']) {
        pods.push(await cloud.podOf((await cloud.volume(name, { size: 4 }))['id']));
        await cloud.tricircle('POST', '/usages', { usage: {} }).expect(200);
      }
      expect(pods).to.deep.equal(['Pod1', 'Pod1', 'Pod2']);
      expect(await cloud.podOf((await cloud.server('s'))['id'])).to.equal('Pod2');
    });
  },
);
