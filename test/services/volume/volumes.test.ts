// Tests of volumes: create, show, update, list, delete.
import { expect } from 'chai';
import { cirrosId } from '../../../src/services/image/index.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { act, ask, makeSnapshot, makeVolume, newest, said, volume } from './support.ts';

const id = '5c1f8b60-0000-4000-8000-000000000001';

onEachDatabase('volumes', { auth: 'noauth2' }, (world) => {
  const refused = async (fields: object, status = 400): Promise<string> =>
    said(
      await ask(world, 'alice', 'POST', '/volumes', { body: { volume: fields } }).expect(status),
    );

  describe('discovery and versions', () => {
    it('is a choice at the root, without a token, and needs one below', async () => {
      const reply = await world.ask('volume', 'GET', '/volume', { token: null }).expect(300);
      expect(reply.body.versions[0]).to.include({
        id: 'v3.0',
        version: newest,
        min_version: '3.0',
        status: 'CURRENT',
      });
      await world.ask('volume', 'GET', '/volume/v3/', { token: null }).expect(401);
      expect((await ask(world, 'reader', 'GET', '/').expect(200)).body).to.deep.equal(reply.body);
    });

    it('is told in headers, and refused where there is no such version', async () => {
      const reply = await ask(world, 'alice', 'GET', '/volumes', { version: '3.5' }).expect(200);
      expect(reply.headers).to.include({
        'openstack-api-version': 'volume 3.5',
        vary: 'openstack-api-version',
      });
      const old = await world.ask('volume', 'GET', '/volume/v3/volumes').expect(200);
      expect(old.headers['openstack-api-version']).to.equal('volume 3.0');
      const unknown = await ask(world, 'alice', 'GET', '/volumes', { version: '3.99' }).expect(406);
      expect(said(unknown)).to.equal(
        `Version 3.99 is not supported by the API. Minimum is 3.0 and maximum is ${newest}.`,
      );
      expect(
        said(await ask(world, 'alice', 'GET', '/volumes', { version: 'x' }).expect(400)),
      ).to.contain('is of invalid format');
    });

    it('is what the first entry with `volume` in it says, and a header without such an entry is refused', async () => {
      const negotiated = async (header: string): Promise<unknown> =>
        (
          await ask(world, 'alice', 'GET', '/volumes', {
            version: '',
            headers: { 'openstack-api-version': header },
          }).expect(200)
        ).headers['openstack-api-version'];
      expect(await negotiated('volumev3 3.27')).to.equal('volume 3.27');
      expect(await negotiated('compute 2.1, volumev3 latest')).to.equal(`volume ${newest}`);
      expect(await negotiated('volume 3.5, volume 3.6')).to.equal('volume 3.5');
      for (const header of ['compute 2.1', 'volume', 'volume 3.5 now'])
        await ask(world, 'alice', 'GET', '/volumes', {
          version: '',
          headers: { 'openstack-api-version': header },
        }).expect(400);
    });

    it('takes the caller’s project in the path, and no other', async () => {
      const made = await makeVolume(world, 'alice');
      const reply = await ask(world, 'alice', 'GET', `/b1/volumes/${made}`).expect(200);
      expect(reply.body.volume.links[0].href).to.match(
        new RegExp(`/volume/v3/b1/volumes/${made}$`),
      );
      expect(reply.body.volume.links[1].href).to.match(new RegExp(`/volume/b1/volumes/${made}$`));
      expect(said(await ask(world, 'alice', 'GET', `/b2/volumes/${made}`).expect(400))).to.equal(
        'Malformed request url',
      );
      await ask(world, 'alice', 'GET', '/b1/nothing').expect(404);
    });
  });

  describe('POST /v3/volumes', () => {
    it('makes a volume, which the next request finds available', async () => {
      const body = {
        volume: {
          name: ' one ',
          description: 'words',
          size: '2',
          metadata: { a: 'b' },
          availability_zone: 'nova',
        },
      };
      const reply = await ask(world, 'alice', 'POST', '/volumes', { body }).expect(202);
      const made = reply.body.volume as { id: string };
      expect(made).to.deep.include({
        name: 'one',
        description: 'words',
        size: 2,
        status: 'creating',
        metadata: { a: 'b' },
        volume_type: 'lvmdriver-1',
        bootable: 'false',
        created_at: '2026-11-20T12:00:00.000000',
        updated_at: null,
        user_id: 'alice',
        attachments: [],
        encrypted: false,
        multiattach: false,
      });
      expect(await volume(world, made.id)).to.deep.include({
        status: 'available',
        'os-vol-tenant-attr:tenant_id': 'b1',
      });
    });

    it('makes one from an image, with what is known of that', async () => {
      for (const reference of [
        { imageRef: cirrosId },
        { image_id: cirrosId },
        { imageRef: 'cirros' },
      ]) {
        const made = await volume(world, await makeVolume(world, 'alice', reference));
        expect(made).to.include({ bootable: 'true' });
        expect(made['volume_image_metadata']).to.include({
          image_id: cirrosId,
          image_name: 'cirros',
          disk_format: 'qcow2',
          size: '512',
        });
      }
      expect(await refused({ size: 1, imageRef: id })).to.equal(
        'Invalid image identifier or unable to access requested image.',
      );
    });

    it('makes one from a snapshot or a volume, as large as that or larger', async () => {
      const source = await makeVolume(world, 'alice', { size: 2, imageRef: cirrosId });
      const snapshot = await makeSnapshot(world, 'alice', source);
      const second = await volume(
        world,
        await makeVolume(world, 'alice', { size: null, snapshot_id: snapshot }),
      );
      expect(second).to.include({ snapshot_id: snapshot, size: 2, bootable: 'true' });
      const third = await volume(
        world,
        await makeVolume(world, 'alice', { size: 3, source_volid: source }),
      );
      expect(third).to.include({ source_volid: source, size: 3, bootable: 'true' });
      expect(await refused({ size: 1, snapshot_id: snapshot })).to.contain(
        "Volume size '1'GB cannot be smaller than the snapshot size 2GB.",
      );
      expect(await refused({ size: 1, source_volid: source })).to.contain(
        "Volume size '1'GB cannot be smaller than original volume size  2GB.",
      );
      expect(await refused({ size: 1, snapshot_id: id }, 404)).to.equal(
        `Snapshot ${id} could not be found.`,
      );
      expect(await refused({ size: 1, source_volid: id }, 404)).to.equal(
        `Volume ${id} could not be found.`,
      );
    });

    it('refuses an image that does not fit, or is not active', async () => {
      const image = async (fields: object): Promise<string> =>
        (
          (
            await world.ask('image', 'POST', '/image/v2/images', {
              body: {
                visibility: 'public',
                disk_format: 'raw',
                container_format: 'bare',
                ...fields,
              },
            })
          ).body as { id: string }
        ).id;
      const queued = await image({});
      expect(await refused({ size: 1, imageRef: queued })).to.equal(
        `Invalid input received: Image ${queued} is not active.`,
      );
      const large = await image({ min_disk: 5 });
      await world
        .ask('image', 'PUT', `/image/v2/images/${large}/file`, {
          headers: { 'content-type': 'application/octet-stream' },
          body: 'x',
        })
        .expect(204);
      expect(await refused({ size: 4, imageRef: large })).to.contain(
        'Volume size 4GB cannot be smaller than the image minDisk size 5GB.',
      );
    });

    it('refuses what makes no sense', async () => {
      expect(await refused({})).to.equal(
        "Invalid input received: Volume size 'None' must be an integer and greater than 0",
      );
      expect(await refused({ size: 0 })).to.contain(
        'Invalid input for field/attribute size. Value: 0.',
      );
      expect(await refused({ size: 1, unknown: 'x' })).to.contain(
        "Additional properties are not allowed ('unknown' was unexpected)",
      );
      await ask(world, 'alice', 'POST', '/volumes', {
        version: '3.52',
        body: { volume: { size: 1, unknown: 'x' } },
      }).expect(202);
      expect(await refused({ size: 1, volume_type: 'x' }, 404)).to.equal(
        'Volume type with name x could not be found.',
      );
      expect(await refused({ size: 1, availability_zone: 'x' })).to.equal(
        "Invalid input received: Availability zone 'x' is invalid.",
      );
      expect(await refused({ size: 1, multiattach: true })).to.contain(
        'multiattach parameter has been removed.',
      );
      const list = await ask(world, 'reader', 'POST', '/volumes', {
        body: { volume: { size: 1 } },
      }).expect(403);
      expect(said(list)).to.equal("Policy doesn't allow volume:create to be performed.");
    });

    it('keeps to the quotas', async () => {
      expect(await refused({ size: 1001 }, 413)).to.contain(
        'exceeds allowed gigabytes quota. Requested 1001G, quota is 1000G and 0G has been consumed.',
      );
      const set = (quota_set: object) =>
        ask(world, 'admin', 'PUT', '/os-quota-sets/b1', { body: { quota_set } }).expect(200);
      await set({ volumes: 1 });
      await makeVolume(world, 'alice');
      expect(await refused({ size: 1 }, 413)).to.equal(
        "Maximum number of volumes allowed (1) exceeded for quota 'volumes'.",
      );
      await set({ volumes: -1, 'volumes_lvmdriver-1': 1, per_volume_gigabytes: 5 });
      expect(await refused({ size: 1 }, 413)).to.contain(
        "exceeded for quota 'volumes_lvmdriver-1'",
      );
      expect(await refused({ size: 6 }, 413)).to.equal(
        'Requested volume size 6G is larger than maximum allowed limit 5G.',
      );
      await makeVolume(world, 'alice', { volume_type: '__DEFAULT__' });
    });
  });

  describe('GET, PUT and DELETE /v3/volumes/{volume_id}', () => {
    it('shows at each version what it has', async () => {
      const made = await makeVolume(world, 'alice');
      const at = async (version: string, who: 'alice' | 'admin' = 'alice'): Promise<object> =>
        ((await ask(world, who, 'GET', `/volumes/${made}`, { version })).body as { volume: object })
          .volume;
      const added: [string, string, string][] = [
        ['3.12', '3.13', 'group_id'],
        ['3.47', '3.48', 'shared_targets'],
        ['3.62', '3.63', 'volume_type_id'],
        ['3.64', '3.65', 'consumes_quota'],
      ];
      for (const [before, from, name] of added) {
        expect(await at(before)).to.not.have.property(name);
        expect(await at(from)).to.have.property(name);
      }
      expect(await at(newest)).to.not.have.any.keys(
        'os-vol-host-attr:host',
        'migration_status',
        'cluster_name',
      );
      expect(await at(newest, 'admin')).to.include.all.keys(
        'os-vol-host-attr:host',
        'migration_status',
        'cluster_name',
        'provider_id',
      );
    });

    it('is only for the project that has it', async () => {
      const made = await makeVolume(world, 'alice');
      expect(said(await ask(world, 'bob', 'GET', `/volumes/${made}`).expect(404))).to.equal(
        `Volume ${made} could not be found.`,
      );
      await ask(world, 'bob', 'DELETE', `/volumes/${made}`).expect(404);
      await ask(world, 'reader', 'DELETE', `/volumes/${made}`).expect(403);
      await ask(world, 'admin', 'GET', `/volumes/${made}`).expect(200);
    });

    it('changes name, description and metadata', async () => {
      const made = await makeVolume(world, 'alice', { metadata: { a: 'b' } });
      const put = (fields: object, version = newest) =>
        ask(world, 'alice', 'PUT', `/volumes/${made}`, { body: { volume: fields }, version });
      const reply = await put({ name: 'new', description: null, metadata: { c: 'd' } }).expect(200);
      expect(reply.body.volume).to.deep.include({
        name: 'new',
        description: null,
        metadata: { c: 'd' },
      });
      await put({}).expect(400);
      await put({}, '3.52').expect(200);
      await put({ size: 2 }).expect(400);
    });

    it('is gone after deleting, unless it has snapshots or is in use', async () => {
      const made = await makeVolume(world, 'alice');
      const snapshot = await makeSnapshot(world, 'alice', made);
      const refusal = await ask(world, 'alice', 'DELETE', `/volumes/${made}`).expect(400);
      expect(said(refusal))
        .to.contain('Invalid volume: Volume status must be available or error')
        .and.contain('have snapshots');
      await ask(world, 'alice', 'DELETE', `/volumes/${made}?cascade=True`).expect(202);
      await ask(world, 'alice', 'GET', `/volumes/${made}`).expect(404);
      await ask(world, 'alice', 'GET', `/snapshots/${snapshot}`).expect(404);
      const used = await makeVolume(world, 'alice');
      await act(world, 'alice', used, {
        'os-attach': { instance_uuid: id, mountpoint: '/dev/vdb' },
      }).expect(202);
      await ask(world, 'alice', 'DELETE', `/volumes/${used}`).expect(400);
      await ask(world, 'alice', 'DELETE', `/volumes/${used}?force=True`).expect(403);
      await ask(world, 'admin', 'DELETE', `/volumes/${used}?force=True`).expect(400);
    });
  });

  describe('lists', () => {
    const names = async (
      query: string,
      who: 'alice' | 'bob' | 'admin' = 'alice',
      version = newest,
    ): Promise<string[]> => {
      const reply = await ask(world, who, 'GET', `/volumes/detail?${query}`, { version }).expect(
        200,
      );
      return (reply.body as { volumes: { name: string }[] }).volumes.map(({ name }) => name);
    };

    it('show what the project has, and for administrators what all have', async () => {
      await makeVolume(world, 'alice', { name: 'a' });
      await makeVolume(world, 'bob', { name: 'b' });
      expect(await names('')).to.deep.equal(['a']);
      expect(await names('all_tenants=1')).to.deep.equal(['a']);
      expect(await names('all_tenants=1&sort=name:asc', 'admin')).to.deep.equal(['a', 'b']);
      expect(await names('all_tenants=1&project_id=b2', 'admin')).to.deep.equal(['b']);
      expect(await names('', 'admin')).to.deep.equal([]);
    });

    it('filter', async () => {
      await makeVolume(world, 'alice', {
        name: 'one',
        metadata: { colour: 'red', taste: 'sweet' },
      });
      await makeVolume(world, 'alice', {
        name: 'two',
        size: 2,
        metadata: { colour: 'red' },
        imageRef: cirrosId,
      });
      const cases: [string, string[]][] = [
        ['name=one', ['one']],
        ['status=available', ['one', 'two']],
        ['status=error', []],
        ['size=2', ['two']],
        ['bootable=true', ['two']],
        ['availability_zone=nova', ['one', 'two']],
        ["metadata={'colour': 'red'}", ['one', 'two']],
        ["metadata={'colour': 'red', \"taste\": 'sweet'}", ['one']],
        ["metadata={'colour': 'blue'}", []],
        ['created_at=gt:2026-11-20T12:00:00', []],
        ['created_at=gte:2026-11-20T12:00:00,lt:2026-11-21', ['one', 'two']],
        ['consumes_quota=true', ['one', 'two']],
        ['consumes_quota=false', []],
        ['migration_status=None', ['one', 'two']],
      ];
      for (const [query, expected] of cases)
        expect(await names(`${encodeURI(query)}&sort=name:asc`), query).to.deep.equal(expected);
      expect(await names('name~=W&all_tenants=1', 'admin')).to.deep.equal(['two']);
      expect(
        await names(encodeURI("all_tenants=1&glance_metadata={'image_name':'cirros'}"), 'admin'),
      ).to.deep.equal(['two']);
      expect(
        await names(encodeURI("all_tenants=1&glance_metadata={'image_name':'cirro'}"), 'admin'),
      ).to.deep.equal([]);
      expect(await names('nothing=x&all_tenants=1', 'admin')).to.deep.equal([]);
      expect(await names('host=x&sort=name:asc', 'alice', '3.30')).to.deep.equal(['one', 'two']);
      expect(said(await ask(world, 'alice', 'GET', '/volumes?host=x').expect(400))).to.equal(
        'Invalid filters host are found in query options.',
      );
      expect(said(await ask(world, 'alice', 'GET', '/volumes?bootable=x').expect(400))).to.equal(
        "Invalid input received: 'bootable = x'",
      );
      await ask(world, 'alice', 'GET', '/volumes?bootable=x', { version: '3.1' }).expect(200);
    });

    it('come in pages that together are the whole', async () => {
      for (const name of ['c', 'a', 'b', 'a']) await makeVolume(world, 'alice', { name });
      for (const sort of ['name:asc', 'name:desc', 'size', 'created_at:asc']) {
        const whole = await names(`sort=${sort}`);
        const pages: string[] = [];
        let next: string | undefined = `/volumes/detail?sort=${sort}&limit=2&with_count=True`;
        while (next !== undefined) {
          const { body } = (await ask(world, 'alice', 'GET', next).expect(200)) as {
            body: {
              volumes: { name: string }[];
              volumes_links?: { href: string }[];
              count: number;
            };
          };
          expect(body.count).to.equal(4);
          pages.push(...body.volumes.map(({ name }) => name));
          next = body.volumes_links?.[0]!.href.replace(/^.*\/v3/, '');
        }
        expect(pages, sort).to.deep.equal(whole);
      }
      expect(await names('sort=name:asc&offset=3')).to.deep.equal(['c']);
    });

    it('refuse pages that make no sense', async () => {
      const cases: [string, number, string][] = [
        ['limit=x', 400, 'limit param must be an integer'],
        ['limit=-1', 400, 'limit param must be positive'],
        ['marker=x', 404, 'Volume x could not be found.'],
        ['sort=x', 400, 'Invalid input received: Sort key supplied is invalid: x'],
        [
          'sort=name:up',
          400,
          "Invalid input received: Unknown sort direction, must be 'asc' or 'desc'.",
        ],
      ];
      for (const [query, status, message] of cases)
        expect(said(await ask(world, 'alice', 'GET', `/volumes?${query}`).expect(status))).to.equal(
          message,
        );
    });

    it('are summed up', async () => {
      await makeVolume(world, 'alice', { size: 2, metadata: { a: 'x' } });
      await makeVolume(world, 'alice', { size: 3, metadata: { a: 'y' } });
      const { body } = await ask(world, 'alice', 'GET', '/volumes/summary').expect(200);
      expect(body['volume-summary']).to.deep.include({ total_count: 2, total_size: 5 });
      expect(body['volume-summary'].metadata.a).to.have.members(['x', 'y']);
      await ask(world, 'alice', 'GET', '/volumes/summary', { version: '3.11' }).expect(404);
    });
  });
});
