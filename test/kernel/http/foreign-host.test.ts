// Tests that a cloud without a secret password refuses Host headers of other machines.
import { expect } from 'chai';
import { serviceDefinitions } from '../../../src/services/index.ts';
import { onEachDatabase } from '../../support/cloud.ts';

const paths = serviceDefinitions
  .filter(({ type, regions }) => type && regions !== 'central')
  .map(({ prefix }) => prefix);

for (const [what, overrides] of [
  ['the default password', {}],
  ['noauth2', { auth: 'noauth2' }],
] as const) {
  onEachDatabase(`foreign Host header with ${what}`, overrides, (world) => {
    for (const path of paths)
      it(`returns 403 at ${path}, in the error format of the service`, async () => {
        const usual = await world.http.get(`${path}/v3`);
        const reply = await world.http.get(`${path}/v3`).set('host', 'evil.example:6060');
        expect(reply.status).to.equal(403);
        expect(reply.headers).to.have.property('x-openstack-request-id');
        expect(reply.text).not.to.equal('');
        for (const host of ['localhost', '[::1]:6060', '127.0.0.1:1'])
          expect((await world.http.get(`${path}/v3`).set('host', host)).status).to.equal(
            usual.status,
          );
      });
  });
}

onEachDatabase('foreign Host header with another password', { adminPassword: 'own' }, (world) => {
  it('is accepted', async () => {
    await world.http.get('/identity/v3').set('host', 'cloud.example').expect(200);
  });
});
