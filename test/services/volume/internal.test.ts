// Tests the functions that Compute calls in process.
import { expect } from 'chai';
import { anonymous, contextWith, systemContext } from '../../../src/kernel/context.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import type { Context } from '../../../src/kernel/model.ts';
import { cirrosId } from '../../../src/services/image/index.ts';
import {
  attachToServer,
  createReadyVolume,
  deleteWithServer,
  detachFromServer,
  volumeFor,
  type Attachment,
  type Volume,
} from '../../../src/services/volume/index.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { act, ask, messageOf, server, volume } from './support.ts';

onEachDatabase('internal API of Volume', { auth: 'noauth2' }, (world) => {
  const asCompute = <T>(run: (context: Context) => Promise<T>): Promise<T> => {
    const { cloud } = world;
    const region = cloud.firstRegion;
    const actor = { ...anonymous, projectId: 'b1', userId: 'alice' };
    return transact(region.database.db, (trx) =>
      run(contextWith(systemContext(cloud, region, trx, noon), { actor })),
    );
  };
  const create = (): Promise<Volume> =>
    asCompute((context) =>
      createReadyVolume(context, { size: 1, imageId: cirrosId, name: 'root' }),
    );
  const attach = (id: string): Promise<Attachment> =>
    asCompute(async (context) =>
      attachToServer(context, await volumeFor(context, id), {
        instanceUuid: server,
        host: 'h',
        mountpoint: '/dev/vda',
      }),
    );
  const status = async (id: string): Promise<unknown> => (await volume(world, id))['status'];
  const refusal = `Detach volume from instance ${server} using the Compute API`;

  it('createReadyVolume creates a volume that is available at once', async () => {
    expect(await create()).to.include({ status: 'available', bootable: true });
  });

  it('attachToServer puts the volume into use', async () => {
    const { id } = await create();
    await attach(id);
    expect(await volume(world, id)).to.include({ status: 'in-use' });
  });

  it('makes DELETE /attachments/{id} of its attachment return 409', async () => {
    const { id } = await attach((await create()).id);
    const refused = await ask(world, 'alice', 'DELETE', `/attachments/${id}`).expect(409);
    expect(messageOf(refused)).to.equal(refusal);
  });

  it('lets only a service end the connection of its attachment', async () => {
    const { id } = await create();
    await attach(id);
    const action = { 'os-terminate_connection': { connector: {} } };
    expect(messageOf(await act(world, 'alice', id, action).expect(409))).to.equal(refusal);
    await act(world, 'service', id, action).expect(202);
  });

  it('deleteWithServer deletes a detached volume, and keeps an attached one', async () => {
    const { id } = await create();
    const attachment = await attach(id);
    await asCompute((context) => deleteWithServer(context, id));
    expect(await status(id)).to.equal('in-use');
    await asCompute((context) => detachFromServer(context, attachment.id));
    expect(await status(id)).to.equal('available');
    await asCompute((context) => deleteWithServer(context, id));
    world.cloud.firstRegion.jobs.wake();
    await ask(world, 'alice', 'GET', `/volumes/${id}`).expect(404);
  });
});
