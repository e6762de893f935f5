// Runs random sequences of actions on servers, and checks that all services stay consistent.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { SeededRandom } from '../../../support/seeded-random.ts';
import { ask, config } from '../support.ts';
import { actions, checkAgreement, listHypervisors, listServers } from './agreement.ts';
import { admin, madeGroup, newest, postServer } from './makers.ts';

onEachDatabase('compute: random actions', config, (world) => {
  for (const seed of [1, 2, 3]) {
    it(`keep allocations, usages, quotas, groups and hypervisors consistent (${seed})`, async function () {
      const dice = new SeededRandom(seed);
      const group = await madeGroup(world, 'anti-affinity', { max_server_per_host: 2 });
      for (let step = 0; step < 60; step++) {
        const servers = await listServers(world);
        if (!servers.length || dice.chance(0.15)) {
          const hints = dice.chance(0.6) ? { group } : {};
          const reply = await postServer(
            world,
            { name: `s${step}`, flavorRef: dice.pick(['1', '42']) },
            { ...admin, hints },
          );
          expect([202, 403]).to.include(reply.status);
        } else {
          const { id } = dice.pick(servers);
          const reply = dice.chance(0.1)
            ? await ask(world, 'DELETE', `/servers/${id}`, admin)
            : await ask(world, 'POST', `/servers/${id}/action`, {
                ...admin,
                version: newest,
                body: dice.pick(actions)(dice),
              });
          expect([202, 204, 400, 403, 409], reply.text).to.include(reply.status);
        }
        if (step % 10 === 9) await checkAgreement(world, group);
      }
      for (const { id } of await listServers(world))
        await ask(world, 'DELETE', `/servers/${id}`, admin).expect(204);
      for (const host of await listHypervisors(world))
        expect([host.vcpus_used, host.running_vms]).to.deep.equal([0, 0]);
    });
  }
});
