// Tests volumes: create, show, update, delete.
import { expect } from 'chai';
import { cirrosId } from '../../../../src/services/image/index.ts';
import { onEachDatabase } from '../../../support/cloud.ts';
import {
  ask,
  attach,
  createSnapshot,
  createVolume,
  messageOf,
  newest,
  volume,
  type Person,
} from '../support.ts';

const unknownId = '5c1f8b60-0000-4000-8000-000000000001';

onEachDatabase('volumes', { auth: 'noauth2' }, (world) => {
  const refused = async (fields: object, status = 400): Promise<string> =>
    messageOf(
      await ask(world, 'alice', 'POST', '/volumes', { body: { volume: fields } }).expect(status),
    );

  describe('POST /volumes', () => {
    it('creates a volume, which is available by the next request', async () => {
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
      const created = reply.body.volume as { id: string };
      expect(created).to.deep.include({
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
      expect(await volume(world, created.id)).to.deep.include({
        status: 'available',
        'os-vol-tenant-attr:tenant_id': 'b1',
      });
    });

    it('creates a bootable volume with image metadata from an image, by id or name', async () => {
      for (const reference of [
        { imageRef: cirrosId },
        { image_id: cirrosId },
        { imageRef: 'cirros' },
      ]) {
        const created = await volume(world, await createVolume(world, 'alice', reference));
        expect(created).to.include({ bootable: 'true' });
        expect(created['volume_image_metadata']).to.include({
          image_id: cirrosId,
          image_name: 'cirros',
          disk_format: 'qcow2',
          size: '512',
        });
      }
    });

    it('returns 400 for an unknown image', async () => {
      expect(await refused({ size: 1, imageRef: unknownId })).to.equal(
        'Invalid image identifier or unable to access requested image.',
      );
    });

    it('creates a volume from a snapshot or a volume, with the same or a larger size', async () => {
      const source = await createVolume(world, 'alice', { size: 2, imageRef: cirrosId });
      const snapshot = await createSnapshot(world, 'alice', source);
      const second = await volume(
        world,
        await createVolume(world, 'alice', { size: null, snapshot_id: snapshot }),
      );
      expect(second).to.include({ snapshot_id: snapshot, size: 2, bootable: 'true' });
      const third = await volume(
        world,
        await createVolume(world, 'alice', { size: 3, source_volid: source }),
      );
      expect(third).to.include({ source_volid: source, size: 3, bootable: 'true' });
    });

    it('returns 400 for a size smaller than the source', async () => {
      const source = await createVolume(world, 'alice', { size: 2 });
      const snapshot = await createSnapshot(world, 'alice', source);
      expect(await refused({ size: 1, snapshot_id: snapshot })).to.contain(
        "Volume size '1'GB cannot be smaller than the snapshot size 2GB.",
      );
      expect(await refused({ size: 1, source_volid: source })).to.contain(
        "Volume size '1'GB cannot be smaller than original volume size  2GB.",
      );
    });

    it('returns 404 for an unknown source', async () => {
      expect(await refused({ size: 1, snapshot_id: unknownId }, 404)).to.equal(
        `Snapshot ${unknownId} could not be found.`,
      );
      expect(await refused({ size: 1, source_volid: unknownId }, 404)).to.equal(
        `Volume ${unknownId} could not be found.`,
      );
    });

    it('returns 400 for an image that does not fit, or is not active', async () => {
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

    it('returns 400 for an invalid size', async () => {
      expect(await refused({})).to.equal(
        "Invalid input received: Volume size 'None' must be an integer and greater than 0",
      );
      expect(await refused({ size: 0 })).to.contain(
        'Invalid input for field/attribute size. Value: 0.',
      );
    });

    it('returns 400 for an unknown field, and ignores it before 3.53', async () => {
      expect(await refused({ size: 1, unknown: 'x' })).to.contain(
        "Additional properties are not allowed ('unknown' was unexpected)",
      );
      await ask(world, 'alice', 'POST', '/volumes', {
        version: '3.52',
        body: { volume: { size: 1, unknown: 'x' } },
      }).expect(202);
    });

    it('returns 404 for an unknown type, and 400 for an unknown zone', async () => {
      expect(await refused({ size: 1, volume_type: 'x' }, 404)).to.equal(
        'Volume type with name x could not be found.',
      );
      expect(await refused({ size: 1, availability_zone: 'x' })).to.equal(
        "Invalid input received: Availability zone 'x' is invalid.",
      );
    });

    it('returns 400 for the field multiattach', async () => {
      expect(await refused({ size: 1, multiattach: true })).to.contain(
        'multiattach parameter has been removed.',
      );
    });

    it('returns 403 for a reader', async () => {
      const forbidden = await ask(world, 'reader', 'POST', '/volumes', {
        body: { volume: { size: 1 } },
      }).expect(403);
      expect(messageOf(forbidden)).to.equal("Policy doesn't allow volume:create to be performed.");
    });

    const setLimits = (quota_set: object) =>
      ask(world, 'admin', 'PUT', '/os-quota-sets/b1', { body: { quota_set } }).expect(200);

    it('returns 413 for a size beyond the quota of gigabytes', async () => {
      expect(await refused({ size: 1001 }, 413)).to.contain(
        'exceeds allowed gigabytes quota. Requested 1001G, quota is 1000G and 0G has been ' +
          'consumed.',
      );
    });

    it('returns 413 for a number beyond the quota of volumes', async () => {
      await setLimits({ volumes: 1 });
      await createVolume(world, 'alice');
      expect(await refused({ size: 1 }, 413)).to.equal(
        "Maximum number of volumes allowed (1) exceeded for quota 'volumes'.",
      );
    });

    it('returns 413 for a number beyond the quota of the volume type', async () => {
      await setLimits({ volumes: -1, 'volumes_lvmdriver-1': 1 });
      await createVolume(world, 'alice');
      expect(await refused({ size: 1 }, 413)).to.contain(
        "exceeded for quota 'volumes_lvmdriver-1'",
      );
      await createVolume(world, 'alice', { volume_type: '__DEFAULT__' });
    });

    it('returns 413 for a size beyond the limit of a single volume', async () => {
      await setLimits({ per_volume_gigabytes: 5 });
      expect(await refused({ size: 6 }, 413)).to.equal(
        'Requested volume size 6G is larger than maximum allowed limit 5G.',
      );
    });
  });

  describe('GET /volumes/{id}', () => {
    it('shows the fields of each version', async () => {
      const id = await createVolume(world, 'alice');
      const at = async (version: string): Promise<object> =>
        (
          (await ask(world, 'alice', 'GET', `/volumes/${id}`, { version })).body as {
            volume: object;
          }
        ).volume;
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
    });

    it('shows more fields to administrators', async () => {
      const id = await createVolume(world, 'alice');
      const shownTo = (who: Person): Promise<object> => volume(world, id, who);
      expect(await shownTo('alice')).to.not.have.any.keys(
        'os-vol-host-attr:host',
        'migration_status',
        'cluster_name',
      );
      expect(await shownTo('admin')).to.include.all.keys(
        'os-vol-host-attr:host',
        'migration_status',
        'cluster_name',
        'provider_id',
      );
    });

    it('returns 404 for another project, but not for an administrator', async () => {
      const id = await createVolume(world, 'alice');
      expect(messageOf(await ask(world, 'bob', 'GET', `/volumes/${id}`).expect(404))).to.equal(
        `Volume ${id} could not be found.`,
      );
      await ask(world, 'admin', 'GET', `/volumes/${id}`).expect(200);
    });
  });

  describe('PUT /volumes/{id}', () => {
    it('changes name, description and metadata', async () => {
      const id = await createVolume(world, 'alice', { metadata: { a: 'b' } });
      const put = (fields: object, version = newest) =>
        ask(world, 'alice', 'PUT', `/volumes/${id}`, { body: { volume: fields }, version });
      const reply = await put({ name: 'new', description: null, metadata: { c: 'd' } }).expect(200);
      expect(reply.body.volume).to.deep.include({
        name: 'new',
        description: null,
        metadata: { c: 'd' },
      });
    });

    it('returns 400 for an empty body from 3.53 on, and for an unknown field', async () => {
      const id = await createVolume(world, 'alice');
      const put = (fields: object, version = newest) =>
        ask(world, 'alice', 'PUT', `/volumes/${id}`, { body: { volume: fields }, version });
      await put({}).expect(400);
      await put({}, '3.52').expect(200);
      await put({ size: 2 }).expect(400);
    });
  });

  describe('DELETE /volumes/{id}', () => {
    it('deletes a volume', async () => {
      const id = await createVolume(world, 'alice');
      await ask(world, 'alice', 'DELETE', `/volumes/${id}`).expect(202);
      await ask(world, 'alice', 'GET', `/volumes/${id}`).expect(404);
    });

    it('returns 404 for another project, and 403 for a reader', async () => {
      const id = await createVolume(world, 'alice');
      await ask(world, 'bob', 'DELETE', `/volumes/${id}`).expect(404);
      await ask(world, 'reader', 'DELETE', `/volumes/${id}`).expect(403);
    });

    it('returns 400 for a volume with snapshots, and deletes them with cascade=True', async () => {
      const id = await createVolume(world, 'alice');
      const snapshot = await createSnapshot(world, 'alice', id);
      const refusal = await ask(world, 'alice', 'DELETE', `/volumes/${id}`).expect(400);
      expect(messageOf(refusal))
        .to.contain('Invalid volume: Volume status must be available or error')
        .and.contain('have snapshots');
      await ask(world, 'alice', 'DELETE', `/volumes/${id}?cascade=True`).expect(202);
      await ask(world, 'alice', 'GET', `/volumes/${id}`).expect(404);
      await ask(world, 'alice', 'GET', `/snapshots/${snapshot}`).expect(404);
    });

    it('returns 400 for a volume in use, even with force', async () => {
      const id = await createVolume(world, 'alice');
      await attach(world, id);
      await ask(world, 'alice', 'DELETE', `/volumes/${id}`).expect(400);
      await ask(world, 'alice', 'DELETE', `/volumes/${id}?force=True`).expect(403);
      await ask(world, 'admin', 'DELETE', `/volumes/${id}?force=True`).expect(400);
    });
  });
});
