// Tests the proxy API for volumes and their snapshots.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { admin, madeServer, newest } from '../servers/makers.ts';
import { ask, config, expectFault, member, reader, someone } from '../support.ts';

interface Thing {
  readonly id: string;
  readonly [field: string]: unknown;
}

onEachDatabase('compute: volumes', config, (world) => {
  const create = (fields: object, as: Asked = member): supertest.Test =>
    ask(world, 'POST', '/os-volumes', { ...as, body: { volume: { size: 1, ...fields } } });
  const volumeOf = ({ body }: supertest.Response): Thing => (body as { volume: Thing }).volume;
  const snapshotOf = ({ body }: supertest.Response): Thing =>
    (body as { snapshot: Thing }).snapshot;
  const made = async (fields: object = {}): Promise<Thing> => {
    const reply = await create(fields);
    expect(reply.status, reply.text).to.equal(200);
    return volumeOf(reply);
  };
  const show = (id: string, as: Asked = member): supertest.Test =>
    ask(world, 'GET', `/os-volumes/${id}`, as);
  const idsOf = async (path: string, noun: string, as: Asked = member): Promise<string[]> =>
    ((await ask(world, 'GET', path, as).expect(200)).body as Record<string, Thing[]>)[noun]!.map(
      ({ id }) => id,
    );

  describe('/os-volumes', () => {
    it('creates, shows and deletes a volume', async () => {
      const reply = await create({
        display_name: 'n',
        display_description: 'd',
        metadata: { a: 'b' },
        size: '2',
      });
      const volume = volumeOf(reply);
      expect(reply.headers['location']).to.match(new RegExp(`/v2.1/os-volumes/${volume.id}$`));
      expect(volume).to.deep.include({
        size: 2,
        displayName: 'n',
        displayDescription: 'd',
        metadata: { a: 'b' },
        attachments: [{}],
        snapshotId: null,
        availabilityZone: 'nova',
      });
      expect(volumeOf(await show(volume.id))).to.deep.include({
        id: volume.id,
        status: 'available',
      });
      const gone = await ask(world, 'DELETE', `/os-volumes/${volume.id}`, member);
      expect([gone.status, gone.text]).to.deep.equal([202, '']);
      expectFault(await show(volume.id), 404, `Volume ${volume.id} could not be found.`);
    });

    it('lists the volumes of the project, with details and in pages on request', async () => {
      const [first, second] = [await made(), await made()];
      await create({}, someone('member,reader', 'other', 'other')).expect(200);
      for (const path of ['/os-volumes', '/os-volumes/detail']) {
        expect(await idsOf(path, 'volumes')).to.have.members([first.id, second.id]);
        expect(await idsOf(`${path}?limit=1`, 'volumes')).to.have.length(1);
        expect(await idsOf(`${path}?offset=2`, 'volumes')).to.deep.equal([]);
      }
    });

    it('shows the server that the volume is attached to', async () => {
      const { id } = await made();
      const server = await madeServer(world, {}, member);
      const body = { volumeAttachment: { volumeId: id } };
      await ask(world, 'POST', `/servers/${server.id}/os-volume_attachments`, {
        ...member,
        version: newest,
        body,
      }).expect(202);
      expect(volumeOf(await show(id))['attachments']).to.deep.equal([
        { id, volumeId: id, serverId: server.id, device: '/dev/vdb' },
      ]);
      expectFault(
        await ask(world, 'DELETE', `/os-volumes/${id}`, member),
        400,
        /^Invalid input received: .*\(HTTP 400\) \(Request-ID: req-/,
      );
    });

    it('returns 400 for an invalid body', async () => {
      expectFault(
        await create({ size: 0 }),
        400,
        'Invalid input for field/attribute size. Value: 0. 0 is less than the minimum of 1',
      );
      expectFault(await create({ size: 'x' }), 400, /does not match/);
      expectFault(await create({ snapshot_id: 'none' }), 404, 'Snapshot none could not be found.');
      expectFault(
        await create({}, reader),
        403,
        "Policy doesn't allow os_compute_api:os-volumes:create to be performed.",
      );
      const quota = { quota_set: { volumes: 0 } };
      await world
        .ask('volume', 'PUT', '/volume/v3/os-quota-sets/demo', { body: quota })
        .expect(200);
      expectFault(await create({}), 403, /^Maximum number of volumes allowed \(0\) exceeded/);
    });

    it('returns 404 from 2.36 on', async () => {
      for (const path of ['/os-volumes', '/os-snapshots/detail'])
        expectFault(
          await ask(world, 'GET', path, { ...admin, version: '2.36' }),
          404,
          'The resource could not be found.',
        );
    });
  });

  describe('/os-snapshots', () => {
    const snap = (fields: object, as: Asked = member): supertest.Test =>
      ask(world, 'POST', '/os-snapshots', { ...as, body: { snapshot: fields } });

    it('creates, shows, lists and deletes a snapshot', async () => {
      const volume = await made();
      const reply = await snap({
        volume_id: volume.id,
        display_name: 'n',
        display_description: 'd',
      });
      const snapshot = snapshotOf(reply);
      expect(snapshot).to.deep.include({
        volumeId: volume.id,
        size: 1,
        displayName: 'n',
        displayDescription: 'd',
      });
      const shown = await ask(world, 'GET', `/os-snapshots/${snapshot.id}`, member);
      expect(snapshotOf(shown)).to.deep.include({ id: snapshot.id, status: 'available' });
      for (const path of ['/os-snapshots', '/os-snapshots/detail'])
        expect(await idsOf(`${path}?limit=5`, 'snapshots')).to.deep.equal([snapshot.id]);
      expect(volumeOf(await create({ snapshot_id: snapshot.id }))).to.include({
        snapshotId: snapshot.id,
      });
      await ask(world, 'DELETE', `/os-snapshots/${snapshot.id}`, member).expect(202);
      const missing = `Snapshot ${snapshot.id} could not be found.`;
      expectFault(await ask(world, 'GET', `/os-snapshots/${snapshot.id}`, member), 404, missing);
      expectFault(await ask(world, 'DELETE', `/os-snapshots/${snapshot.id}`, member), 404, missing);
    });

    it('creates a snapshot of an attached volume with force', async () => {
      const absent = '6b1e5a43-7a17-4b6f-9d2f-1a2b3c4d5e6f';
      const { id } = await made();
      const server = await madeServer(world, {}, member);
      const body = { volumeAttachment: { volumeId: id } };
      await ask(world, 'POST', `/servers/${server.id}/os-volume_attachments`, {
        ...member,
        version: newest,
        body,
      }).expect(202);
      expectFault(await snap({ volume_id: id }), 400, /^Invalid input received: /);
      await snap({ volume_id: id, force: 'yes' }).expect(200);
      expectFault(await snap({ volume_id: absent }), 404, `Volume ${absent} could not be found.`);
      expectFault(await snap({ volume_id: id }, reader), 403, /os-volumes:snapshots:create/);
    });
  });
});
