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

  it('says that a volume is too large for an image, which is deleted', async () => {
    await world.http.put('/_emulator/image/settings').send({ image_size_cap: 1000 }).expect(200);
    const id = await createVolume(world, 'alice');
    const reply = await ask(world, 'alice', 'POST', `/volumes/${id}/action`, {
      body: { 'os-volume_upload_image': { image_name: 'i' } },
    }).expect(202);
    const { image_id } = (reply.body as Record<string, { image_id: string }>)[
      'os-volume_upload_image'
    ]!;
    expect(await volume(world, id)).to.include({ status: 'available' });
    await world
      .ask('image', 'GET', `/image/v2/images/${image_id}`, { token: 'alice:red' })
      .expect(404);
    const { body } = await ask(world, 'alice', 'GET', `/messages?resource_uuid=${id}`).expect(200);
    const [message] = (body as { messages: Record<string, string>[] }).messages;
    expect(message).to.include({
      event_id: 'VOLUME_VOLUME_003_004',
      user_message: 'copy volume to image:Failed to upload volume to image at backend.',
    });
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
