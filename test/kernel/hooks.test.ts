// Tests of the hooks around a request: the emulator's own features attach there.
import { expect } from 'chai';
import { unavailable } from '../../src/kernel/fault.ts';
import { reply } from '../../src/kernel/http/reply.ts';
import { onEachDatabase } from '../support/cloud.ts';

onEachDatabase('hooks', { auth: 'noauth2' }, (world) => {
  it('before a request see it with its service, region and time, and may reply in the place of the service', async () => {
    const hook = (call: { service: { card: { name: string } }; region: { name: string }; now: number; path: string }) =>
      call.path === '/resource_providers' ? reply(418, { service: call.service.card.name, region: call.region.name }) : undefined;
    world.cloud.hooks.before.push(hook);
    try {
      const answer = await world.ask('placement', 'GET', '/placement/resource_providers');
      expect([answer.status, answer.body]).to.deep.equal([418, { service: 'placement', region: 'RegionOne' }]);
      expect((await world.ask('placement', 'GET', '/placement/resource_classes', { version: '1.2' })).status).to.equal(200);
    } finally {
      world.cloud.hooks.before.pop();
    }
  });

  it('before a request may refuse it, in the error format of the service', async () => {
    world.cloud.hooks.before.push(() => {
      throw unavailable('Out of order.');
    });
    try {
      const answer = await world.ask('placement', 'GET', '/placement/resource_providers');
      expect(answer.status).to.equal(503);
      expect((answer.body as { errors: { detail: string }[] }).errors[0]!.detail).to.contain('Out of order.');
    } finally {
      world.cloud.hooks.before.pop();
    }
  });

  it('after a request see the reply, of refusals too', async () => {
    const seen: string[] = [];
    world.cloud.hooks.after.push((call, answered) => void seen.push(`${call.method} ${call.path} ${answered.status}`));
    try {
      await world.ask('placement', 'GET', '/placement/resource_classes', { version: '1.2' });
      await world.ask('placement', 'GET', '/placement/nowhere');
      expect(seen).to.deep.equal(['GET /resource_classes 200', 'GET /nowhere 404']);
    } finally {
      world.cloud.hooks.after.pop();
    }
  });
});
