// Tests of purging the records of deleted servers: after the retention time, and on demand.
import { expect } from 'chai';
import { SECOND } from '../../src/kernel/clock.ts';
import { cirrosId } from '../../src/services/image/index.ts';
import { onEachDatabase } from '../support/cloud.ts';
import { rowCounter } from '../support/rows.ts';

const hour = 3600 * SECOND;

onEachDatabase(
  '/_emulator/purge',
  { auth: 'noauth2', hosts: '1', keepDeleted: 2 * hour },
  (world) => {
    const compute = (method: string, path: string, body?: object) =>
      world.ask('compute', method, `/compute/v2.1${path}`, {
        version: '2.100',
        ...(body ? { body } : {}),
      });
    const advance = (hours: number) =>
      world
        .ask('emulator', 'POST', '/_emulator/clock/advance', { token: null, body: { hours } })
        .expect(200);
    const purge = (body?: object) =>
      world.ask('emulator', 'POST', '/_emulator/purge', { token: null, ...(body ? { body } : {}) });

    const boot = async (): Promise<string> => {
      const server = { name: 's', flavorRef: '42', imageRef: cirrosId, networks: 'none' };
      const { body } = await compute('POST', '/servers', { server }).expect(202);
      const { id } = (body as { server: { id: string } }).server;
      await compute('GET', `/servers/${id}`).expect(200);
      return id;
    };
    const remove = async (id: string): Promise<void> => {
      await compute('DELETE', `/servers/${id}`).expect(204);
      await compute('GET', `/servers/${id}`).expect(404);
    };
    const deleted = async (): Promise<number> => {
      const { body } = await compute('GET', '/servers?deleted=true&all_tenants=true').expect(200);
      return (body as { servers: unknown[] }).servers.length;
    };

    it('removes deleted servers and their actions when --keep-deleted has passed', async () => {
      const counts = await rowCounter(world.cloud);
      await remove(await boot()); // the first server creates a consumer type, which stays
      await advance(3);
      const before = await counts();
      const [first, second, third] = [await boot(), await boot(), await boot()];
      const running = await counts();
      await remove(first);
      await advance(1);
      await remove(second);
      expect(await deleted()).to.equal(2);
      await compute('GET', `/servers/${first}/os-instance-actions`).expect(200);
      await advance(1.5);
      expect(await deleted()).to.equal(1);
      await compute('GET', `/servers/${first}/os-instance-actions`).expect(404);
      await advance(2);
      expect(await deleted()).to.equal(0);
      await compute('GET', `/servers/${third}`).expect(200);
      await remove(third);
      expect(running).to.not.deep.equal(before);
      await advance(4);
      expect(await counts()).to.deep.equal(before);
    });

    describe('POST /_emulator/purge', () => {
      it('removes servers deleted before older_than_seconds', async () => {
        await remove(await boot());
        await advance(1);
        await remove(await boot());
        expect((await purge({ older_than_seconds: 1800 }).expect(200)).body).to.deep.include({
          purged: { compute: 1, clustering: 0, image: 0 },
        });
        expect(await deleted()).to.equal(1);
      });

      it('removes all deleted servers of a region', async () => {
        await remove(await boot());
        expect((await purge({ region: 'RegionOne' }).expect(200)).body).to.deep.include({
          purged: { compute: 1, clustering: 0, image: 0 },
        });
        expect(await deleted()).to.equal(0);
      });

      it('removes nothing if everything has been purged', async () => {
        await remove(await boot());
        await purge().expect(200);
        expect((await purge().expect(200)).body).to.deep.equal({
          purged: { compute: 0, clustering: 0, image: 0 },
        });
      });

      it('returns 400 for an unknown region', async () => {
        await purge({ region: 'Mars' }).expect(400, {
          error: { code: 400, message: "There is no region 'Mars'. Regions: RegionOne." },
        });
      });
    });
  },
);
