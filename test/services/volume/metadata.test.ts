// Tests the metadata of volumes and snapshots.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, createSnapshot, createVolume, messageOf } from './support.ts';

onEachDatabase('metadata', { auth: 'noauth2' }, (world) => {
  const owners = [
    ['Volume', async () => `/volumes/${await createVolume(world, 'alice')}`],
    [
      'Snapshot',
      async () =>
        `/snapshots/${await createSnapshot(world, 'alice', await createVolume(world, 'alice'))}`,
    ],
  ] as const;

  for (const [noun, create] of owners) {
    describe(`metadata of a ${noun.toLowerCase()}`, () => {
      let base: string;
      const request = (method: string, path: string, body?: object): supertest.Test =>
        ask(world, 'alice', method, `${base}/metadata${path}`, body ? { body } : {});

      beforeEach(async () => {
        base = await create();
        const reply = await request('POST', '', { metadata: { a: '1', b: '2' } }).expect(200);
        expect(reply.body).to.deep.equal({ metadata: { a: '1', b: '2' } });
      });

      it('PUT of a key changes its value', async () => {
        const reply = await request('PUT', '/a', { meta: { a: '3' } }).expect(200);
        expect(reply.body).to.deep.equal({ meta: { a: '3' } });
        expect((await request('GET', '/a').expect(200)).body).to.deep.equal({ meta: { a: '3' } });
      });

      it('PUT of a key returns 400 if the body has another key', async () => {
        const refused = await request('PUT', '/a', { meta: { b: '3' } }).expect(400);
        expect(messageOf(refused)).to.equal('Request body and URI mismatch');
      });

      it('DELETE of a key deletes it, and then returns 404', async () => {
        await request('DELETE', '/b').expect(200);
        expect(messageOf(await request('DELETE', '/b').expect(404)))
          .to.contain(`${noun} `)
          .and.contain('has no metadata with key b.');
      });

      it('PUT replaces all metadata', async () => {
        await request('PUT', '', { metadata: { c: '4' } }).expect(200);
        expect((await request('GET', '').expect(200)).body).to.deep.equal({ metadata: { c: '4' } });
      });

      it('POST returns 400 for an invalid key', async () => {
        await request('POST', '', { metadata: { 'a!': '1' } }).expect(400);
      });

      it('GET returns 404 for another project', async () => {
        await ask(world, 'bob', 'GET', `${base}/metadata`).expect(404);
      });
    });
  }

  it('PUT returns 412 if If-Match differs from the ETag of a volume’s metadata', async () => {
    const path = `/volumes/${await createVolume(world, 'alice')}/metadata`;
    const { headers } = await ask(world, 'alice', 'GET', path);
    const put = (etag: string): supertest.Test =>
      ask(world, 'alice', 'PUT', path, {
        body: { metadata: { d: '5' } },
        headers: { 'if-match': etag },
      });
    await put('old').expect(412);
    await put(headers['etag'] as string).expect(200);
  });
});
