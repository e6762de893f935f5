// Servers whose host leaves an aggregate while they are scheduled, on MySQL. SQLite has one writer
// at a time, so nothing comes in between there.
import { expect } from 'chai';
import { systemContext } from '../../../../src/kernel/context.ts';
import { transact } from '../../../../src/kernel/db/transaction.ts';
import type { Context } from '../../../../src/kernel/model.ts';
import { schedulerHosts } from '../../../../src/services/compute/domain/scheduler/kept-hosts.ts';
import {
  findHosts,
  requestSpecOf,
} from '../../../../src/services/compute/domain/scheduler/scheduling.ts';
import type { Server } from '../../../../src/services/compute/model.ts';
import { findServer } from '../../../../src/services/compute/store/servers/servers.ts';
import { noon, onEachDatabase } from '../../../support/cloud.ts';
import { admin, madeServer, newest } from '../servers/makers.ts';
import { ask, config } from '../support.ts';

const at = { ...admin, version: newest };

onEachDatabase('Compute: hosts that leave an aggregate', config, (world) => {
  if (world.kind !== 'mysql') return;
  const reservation = 'leased';
  let aggregate: number;

  const change = (action: object): PromiseLike<unknown> =>
    ask(world, 'POST', `/os-aggregates/${aggregate}/action`, { ...at, body: action }).expect(200);

  /** Servers for which no host was found, because the reservation had none. */
  async function waitingServers(db: Context['db'], count: number): Promise<Server[]> {
    const servers: Server[] = [];
    while (servers.length < count) {
      const { id, status } = await madeServer(world, {}, { ...admin, hints: { reservation } });
      expect(status).to.equal('ERROR');
      servers.push((await findServer(db, id))!);
    }
    return servers;
  }

  beforeEach(async () => {
    const zone = `blazar_${reservation}`;
    const body = { aggregate: { name: reservation, availability_zone: zone } };
    const created = await ask(world, 'POST', '/os-aggregates', { ...at, body });
    aggregate = (created.body.aggregate as { id: number }).id;
    await change({ set_metadata: { metadata: { 'blazar:owner': 'demo' } } });
  });

  for (const count of [1, 2])
    it(`selects hosts again if that of ${count} servers has left their reservation`, async () => {
      const region = world.cloud.firstRegion;
      const servers = await waitingServers(region.database.db, count);
      await change({ add_host: { host: 'compute-1' } });
      let attempts = 0;
      const scheduled = transact(region.database.db, async (db, attempt) => {
        attempts = attempt;
        const context = systemContext(world.cloud, region, db, noon, attempt);
        await schedulerHosts(db);
        if (attempt === 1) await change({ remove_host: { host: 'compute-1' } });
        return findHosts(context, servers, await requestSpecOf(context, servers[0]!));
      });
      const failure: unknown = await scheduled.catch((error: unknown) => error);
      expect(failure).to.include({
        message: 'No valid host was found. There are not enough hosts available.',
      });
      expect(attempts).to.equal(2);
    });
});
