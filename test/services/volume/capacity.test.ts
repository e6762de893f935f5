// Tests of a backend with an end: what does not fit finds no backend, and what is deleted makes
// room.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { act, ask, makeVolume, volume } from './support.ts';

onEachDatabase(
  'volumes in a region with room for 10 GiB',
  { auth: 'noauth2', volumeCapacity: 10 },
  (world) => {
    const capabilities = async (): Promise<Record<string, unknown>> => {
      const { body } = await ask(
        world,
        'admin',
        'GET',
        '/scheduler-stats/get_pools?detail=true',
      ).expect(200);
      return (body as { pools: { capabilities: Record<string, unknown> }[] }).pools[0]!
        .capabilities;
    };
    const messages = async (): Promise<string[]> => {
      const { body } = await ask(world, 'alice', 'GET', '/messages').expect(200);
      return (body as { messages: { user_message: string }[] }).messages.map(
        ({ user_message: text }) => text,
      );
    };

    it('get a backend while there is room, and again when one is deleted', async () => {
      const first = await makeVolume(world, 'alice', { size: 7 });
      expect(await volume(world, first)).to.include({ status: 'available' });
      expect(await capabilities()).to.include({
        total_capacity_gb: 10,
        free_capacity_gb: 3,
        allocated_capacity_gb: 7,
        thin_provisioning_support: false,
        max_over_subscription_ratio: '1.0',
      });
      const second = await makeVolume(world, 'alice', { size: 4 });
      expect(await volume(world, second)).to.include({ status: 'error' });
      expect(await messages()).to.deep.equal([
        'schedule allocate volume:Could not find any available weighted backend.',
      ]);
      const third = await makeVolume(world, 'alice', { size: 3 });
      expect(await volume(world, third)).to.include({ status: 'available' });
      await ask(world, 'alice', 'DELETE', `/volumes/${first}`).expect(202);
      expect(await capabilities()).to.include({ free_capacity_gb: 7 });
    });

    it('grow into what is free, and otherwise stay as they are', async () => {
      const id = await makeVolume(world, 'alice', { size: 4 });
      await volume(world, id);
      await act(world, 'alice', id, { 'os-extend': { new_size: 10 } }).expect(202);
      expect(await volume(world, id)).to.include({ status: 'available', size: 10 });
      await act(world, 'alice', id, { 'os-extend': { new_size: 11 } }).expect(202);
      expect(await volume(world, id)).to.include({ status: 'available', size: 10 });
      expect(await messages()).to.deep.equal([
        'extend volume:Could not find any available weighted backend.',
      ]);
    });

    it('keep their place when they get another type, however full it is', async () => {
      const id = await makeVolume(world, 'alice', { size: 10 });
      await volume(world, id);
      await ask(world, 'admin', 'POST', '/types', {
        body: { volume_type: { name: 'other' } },
      }).expect(200);
      await act(world, 'alice', id, { 'os-retype': { new_type: 'other' } }).expect(202);
      expect(await volume(world, id)).to.include({ status: 'available', volume_type: 'other' });
    });
  },
);
