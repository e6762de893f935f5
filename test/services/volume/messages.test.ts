// Tests messages.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, createType, createVolume, volume } from './support.ts';

onEachDatabase('messages', { auth: 'noauth2' }, (world) => {
  /** Creates a volume that no backend matches. @returns its id and the message */
  const createFailure = async (): Promise<{ id: string; message: Record<string, string> }> => {
    await createType(world, { name: 'odd', extra_specs: { vendor_name: 'Nobody' } });
    const id = await createVolume(world, 'alice', { volume_type: 'odd' });
    expect(await volume(world, id)).to.include({ status: 'error' });
    const { messages } = (
      await ask(world, 'alice', 'GET', `/messages?resource_uuid=${id}`).expect(200)
    ).body as { messages: Record<string, string>[] };
    return { id, message: messages[0]! };
  };

  it('says that no backend was found for a volume', async () => {
    const { id, message } = await createFailure();
    expect(message).to.include({
      event_id: 'VOLUME_VOLUME_001_003',
      user_message: 'schedule allocate volume:Could not find any available weighted backend.',
      message_level: 'ERROR',
      resource_type: 'VOLUME',
      resource_uuid: id,
      guaranteed_until: '2026-12-20T12:00:00.000000',
    });
    expect(message['request_id']).to.match(/^req-/);
  });

  it('GET /messages returns 400 for an unknown filter', async () => {
    await ask(world, 'alice', 'GET', `/messages?colour=red`).expect(400);
  });

  it('GET /messages/{id} returns 404 for another project', async () => {
    const { message } = await createFailure();
    await ask(world, 'bob', 'GET', `/messages/${message['id']}`).expect(404);
  });

  it('DELETE /messages/{id} deletes a message', async () => {
    const { message } = await createFailure();
    await ask(world, 'alice', 'DELETE', `/messages/${message['id']}`).expect(204);
    await ask(world, 'alice', 'GET', `/messages/${message['id']}`).expect(404);
  });
});
