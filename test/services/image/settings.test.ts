// Tests of the settings of Image, which upstream reads from glance-api.conf.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, make, patch, said, upload } from './support.ts';

onEachDatabase('settings of Image', { auth: 'noauth2' }, (world) => {
  const set = (settings: object) =>
    world.http.put('/_emulator/image/settings').send(settings).expect(200);
  const add = (id: string, ...names: string[]): supertest.Test =>
    patch(
      world,
      'alice',
      id,
      names.map((name) => ({ op: 'add', path: `/${name}`, value: 'v' })),
    );

  it('limit_param_default and api_limit_max are the sizes of pages', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await make(world, 'alice', { name });
    const sizeOf = async (query: string): Promise<number> => {
      const { body } = await ask(world, 'alice', 'GET', `/v2/images?${query}`).expect(200);
      return (body as { images: object[] }).images.length;
    };
    await set({ limit_param_default: 2, api_limit_max: 3 });
    expect(await sizeOf('')).to.equal(2);
    expect(await sizeOf('limit=100')).to.equal(3);
    await set({ limit_param_default: 100 });
    expect(await sizeOf('')).to.equal(3);
  });

  it('image_size_cap is the most bytes of an image', async () => {
    await set({ image_size_cap: 4 });
    const id = await make(world, 'alice', { disk_format: 'raw', container_format: 'bare' });
    expect(said(await upload(world, 'alice', id, 'abcde').expect(413))).to.equal(
      'The incoming image is too large: The provided image is too large.',
    );
    const { body } = await ask(world, 'alice', 'GET', `/v2/images/${id}`).expect(200);
    expect(body).to.include({ status: 'queued', size: null });
    await upload(world, 'alice', id, 'abcd').expect(204);
  });

  it('image_property_quota is the most properties of an image', async () => {
    await set({ image_property_quota: 2 });
    const id = await make(world, 'alice', { a: '1', b: '2' });
    expect(said(await add(id, 'c').expect(413))).to.equal(
      'The limit has been exceeded on the number of allowed image properties. Attempted: 3, ' +
        'Maximum: 2',
    );
    await ask(world, 'alice', 'POST', '/v2/images', { body: { a: '', b: '', c: '' } }).expect(413);
  });

  it('image_property_quota lets an image with more be changed if none is added', async () => {
    const id = await make(world, 'alice', { a: '1', b: '2', c: '3' });
    await set({ image_property_quota: 1 });
    expect((await add(id, 'a', 'b', 'c').expect(200)).body).to.include({ a: 'v', c: 'v' });
    await add(id, 'd').expect(413);
    await set({ image_property_quota: -1 });
    await add(id, ...Array.from({ length: 600 }, (_, index) => `p${index}`)).expect(200);
  });

  it('image_tag_quota is the most tags of an image', async () => {
    const id = await make(world, 'alice', { tags: ['a', 'b'] });
    await set({ image_tag_quota: 2 });
    const tag = (): supertest.Test => ask(world, 'alice', 'PUT', `/v2/images/${id}/tags/c`);
    expect(said(await tag().expect(413))).to.contain('Attempted: 3, Maximum: 2');
    await set({ image_tag_quota: 1 });
    await patch(world, 'alice', id, [{ op: 'replace', path: '/name', value: 'n' }]).expect(200);
    await set({ image_tag_quota: -1 });
    await tag().expect(204);
  });

  it('image_member_quota is the most members of an image', async () => {
    await set({ image_member_quota: 1 });
    const id = await make(world, 'alice', { visibility: 'shared' });
    const share = (member: string): supertest.Test =>
      ask(world, 'alice', 'POST', `/v2/images/${id}/members`, { body: { member } });
    await share('red').expect(200);
    expect(said(await share('green').expect(413))).to.contain('Attempted: 2, Maximum: 1');
    await set({ image_member_quota: -1 });
    await share('green').expect(200);
  });
});
