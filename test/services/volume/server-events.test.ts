// Tests of the events that a Nova outside of the cloud gets for its servers' volumes.
import { expect } from 'chai';
import { cirrosId } from '../../../src/services/image/index.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { outboxSettled, RecordingNova, type NovaEvent } from '../../support/nova.ts';
import { act, ask, attach, createVolume, server, volume } from './support.ts';

onEachDatabase('volume: events for a Nova elsewhere', { auth: 'noauth2' }, (world) => {
  let nova: RecordingNova;
  let id: string;

  beforeEach(async () => {
    nova = await RecordingNova.start();
    id = await createVolume(world, 'alice');
  });
  afterEach(() => nova.stop());

  /** Extends the attached volume. @returns the events, the version, and the new messages */
  async function extend(): Promise<{ events: NovaEvent[]; version: unknown; messages: unknown[] }> {
    const extended = await act(world, 'alice', id, { 'os-extend': { new_size: 2 } }).expect(202);
    expect(await volume(world, id)).to.include({ status: 'in-use', size: 2 });
    await outboxSettled(world);
    const { body } = await ask(world, 'alice', 'GET', `/messages?resource_uuid=${id}`).expect(200);
    const messages = (body as { messages: { request_id: string }[] }).messages;
    for (const { request_id } of messages)
      expect(request_id).to.equal(extended.headers['x-openstack-request-id']);
    return {
      events: nova.events,
      version: nova.requests[0]?.headers['openstack-api-version'],
      messages: messages.map((message) => (message as unknown as Message).user_message),
    };
  }

  interface Message {
    readonly user_message: string;
  }

  it('report an extended volume to its servers', async () => {
    await nova.enterCatalog(world);
    await attach(world, id);
    expect(await extend()).to.deep.equal({
      events: [{ name: 'volume-extended', server_uuid: server, tag: id }],
      version: 'compute 2.51',
      messages: [],
    });
  });

  it('leave a message if Nova does not accept the event', async () => {
    await nova.enterCatalog(world);
    await attach(world, id);
    nova.answers.push({ status: 404 });
    expect((await extend()).messages).to.deep.equal([
      'extend volume:Compute service failed to extend volume.',
    ]);
  });

  it('are not sent for a volume that no server has', async () => {
    await nova.enterCatalog(world);
    await act(world, 'alice', id, { 'os-extend': { new_size: 2 } }).expect(202);
    await volume(world, id);
    await outboxSettled(world);
    expect(nova.requests).to.deep.equal([]);
  });

  it('are not sent while the catalog lists the own Compute', async () => {
    await attach(world, id);
    expect((await extend()).events).to.deep.equal([]);
  });

  it('report a reimaged volume that is reserved for a server', async () => {
    await nova.enterCatalog(world);
    await ask(world, 'service', 'POST', '/attachments', {
      body: { attachment: { volume_uuid: id, instance_uuid: server } },
    }).expect(200);
    expect(await volume(world, id)).to.include({ status: 'reserved' });
    await act(world, 'alice', id, {
      'os-reimage': { image_id: cirrosId, reimage_reserved: true },
    }).expect(202);
    expect(await volume(world, id)).to.include({ status: 'reserved' });
    await outboxSettled(world);
    expect(nova.events).to.deep.equal([{ name: 'volume-reimaged', server_uuid: server, tag: id }]);
    expect(nova.requests[0]!.headers['openstack-api-version']).to.equal('compute 2.93');
  });
});
