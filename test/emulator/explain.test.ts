// GET /_emulator/explain/{kind}/{id}: the answer for kinds that have no explanations.
import { expect } from 'chai';
import { onEachDatabase } from '../support/cloud.ts';

onEachDatabase('/_emulator/explain', {}, (world) => {
  describe('GET /_emulator/explain/{kind}/{id}', () => {
    for (const kind of ['volumes', '__proto__', 'constructor', 'toString'])
      it(`returns 404 and the known kinds for ${kind}`, async () => {
        const path = `/_emulator/explain/${kind}/some-id`;
        const { body } = await world.ask('', 'GET', path, { token: null }).expect(404);
        expect(JSON.stringify(body)).to.include(
          `There are no explanations of '${kind}'. Name requests, servers, actions, pods, leases.`,
        );
      });
  });
});
