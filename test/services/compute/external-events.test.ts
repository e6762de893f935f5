// Tests of the events that other services report.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { putServer } from './servers/by-hand.ts';
import { ask, config, expectFault, member } from './support.ts';

onEachDatabase('compute: external events', config, (world) => {
  describe('POST /os-server-external-events', () => {
    it('records actions for extended volumes and changes of power', async () => {
      const { uuid } = await putServer(world, { host: 'compute-1' });
      const events = [
        { name: 'volume-extended', server_uuid: uuid, tag: '11111111-1111-1111-1111-111111111111' },
        { name: 'power-update', server_uuid: uuid, tag: 'POWER_OFF' },
        { name: 'power-update', server_uuid: uuid, tag: 'POWER_ODD' },
        { name: 'power-update', server_uuid: uuid, tag: 'constructor' },
        { name: 'power-update', server_uuid: uuid, tag: '__proto__' },
      ];
      await ask(world, 'POST', '/os-server-external-events', {
        version: '2.76',
        body: { events },
      }).expect(200);
      const path = `/servers/${uuid}/os-instance-actions`;
      const actions = (await ask(world, 'GET', path)).body.instanceActions as {
        action: string;
        request_id: string;
      }[];
      expect(actions.map(({ action }) => action).sort()).to.deep.equal(['extend_volume', 'stop']);
      const shown = await ask(world, 'GET', `${path}/${actions[0]!.request_id}`);
      expect(shown.body.instanceAction.events[0].result).to.equal('Success');
    });

    const send = (events: object[], version = '2.76') =>
      ask(world, 'POST', '/os-server-external-events', { version, body: { events } });

    it('returns the status of each event', async () => {
      const { uuid } = await putServer(world, { host: 'compute-1' });
      const idle = await putServer(world);
      const good = await send([{ name: 'network-changed', server_uuid: uuid }]);
      expect([good.status, good.body.events]).to.deep.equal([
        200,
        [{ name: 'network-changed', server_uuid: uuid, status: 'completed', code: 200 }],
      ]);
      const mixed = await send([
        { name: 'network-changed', server_uuid: uuid },
        { name: 'network-changed', server_uuid: idle.uuid },
        { name: 'power-update', server_uuid: uuid },
        { name: 'network-changed', server_uuid: '11111111-1111-1111-1111-111111111111' },
      ]);
      expect(mixed.status).to.equal(207);
      expect(mixed.body.events.map(({ code }: { code: number }) => code)).to.deep.equal([
        200, 422, 400, 404,
      ]);
    });

    it('returns 400 for an event that the version does not have', async () => {
      const { uuid } = await putServer(world, { host: 'compute-1' });
      expectFault(
        await send([{ name: 'power-update', server_uuid: uuid }], '2.75'),
        400,
        /'power-update' is not one of/,
      );
    });

    it('returns 403 for a member', async () => {
      const { uuid } = await putServer(world, { host: 'compute-1' });
      expectFault(
        await ask(world, 'POST', '/os-server-external-events', {
          ...member,
          body: { events: [{ name: 'network-changed', server_uuid: uuid }] },
        }),
        403,
        /os-server-external-events:create/,
      );
    });
  });
});
