// Tests the members and tags of images.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, make, said } from './support.ts';

onEachDatabase('members and tags of images', { auth: 'noauth2' }, (world) => {
  describe('members', () => {
    const share = (id: string, member: unknown = 'red') =>
      ask(world, 'alice', 'POST', `/v2/images/${id}/members`, { body: { member } });

    it('see the image once added, list it once accepted, and lose it once removed', async () => {
      const id = await make(world, 'alice');
      const { body } = await share(id).expect(200);
      expect(body).to.deep.equal({
        member_id: 'red',
        image_id: id,
        status: 'pending',
        created_at: '2026-11-20T12:00:00Z',
        updated_at: '2026-11-20T12:00:00Z',
        schema: '/v2/schemas/member',
      });
      await ask(world, 'bob', 'GET', `/v2/images/${id}`).expect(200);
      const accepted = await ask(world, 'bob', 'PUT', `/v2/images/${id}/members/red`, {
        body: { status: 'accepted' },
      }).expect(200);
      expect(accepted.body).to.include({ status: 'accepted' });
      await share(id, 'green').expect(200);
      const all = await ask(world, 'alice', 'GET', `/v2/images/${id}/members`).expect(200);
      expect(all.body.members.map((one: { member_id: string }) => one.member_id)).to.have.members([
        'red',
        'green',
      ]);
      const own = await ask(world, 'bob', 'GET', `/v2/images/${id}/members`).expect(200);
      expect(own.body.members.map((one: { member_id: string }) => one.member_id)).to.deep.equal([
        'red',
      ]);
      await ask(world, 'bob', 'GET', `/v2/images/${id}/members/red`).expect(200);
      await ask(world, 'bob', 'GET', `/v2/images/${id}/members/green`).expect(404);
      await ask(world, 'alice', 'DELETE', `/v2/images/${id}/members/red`).expect(204);
      await ask(world, 'bob', 'GET', `/v2/images/${id}`).expect(404);
      const gone = await ask(world, 'alice', 'DELETE', `/v2/images/${id}/members/red`).expect(404);
      expect(said(gone)).to.equal(`red not found in the member list of the image ${id}.`);
    });

    it('cannot be added twice, without an id, or to an image that is not shared', async () => {
      const id = await make(world, 'alice');
      await share(id).expect(200);
      expect(said(await share(id).expect(409))).to.equal(
        `Member red is duplicated for image ${id}`,
      );
      expect(said(await share(id, '').expect(400))).to.equal("Member can't be empty");
      expect(
        said(
          await ask(world, 'alice', 'POST', `/v2/images/${id}/members`, { body: {} }).expect(400),
        ),
      ).to.equal('Member to be added not specified');
      const hidden = await make(world, 'alice', { visibility: 'private' });
      expect(said(await share(hidden).expect(403))).to.equal(
        `Not allowed to create members for image ${hidden}.`,
      );
      const list = await ask(world, 'alice', 'GET', `/v2/images/${hidden}/members`).expect(403);
      expect(said(list)).to.equal(
        `Not allowed to list members for image ${hidden}: Only shared images have members.`,
      );
    });

    it('accept for themselves only: neither the owner nor another project can', async () => {
      const id = await make(world, 'alice');
      await share(id).expect(200);
      const answer = (who: 'alice' | 'bob' | 'admin', status: unknown) =>
        ask(world, who, 'PUT', `/v2/images/${id}/members/red`, { body: { status } });
      await answer('alice', 'accepted').expect(403);
      await answer('admin', 'rejected').expect(200);
      expect(said(await answer('bob', 'maybe').expect(400))).to.equal(
        'Incorrect request: Status must be "pending", "accepted" or "rejected".',
      );
      await ask(world, 'bob', 'POST', `/v2/images/${id}/members`, {
        body: { member: 'green' },
      }).expect(403);
      await ask(world, 'bob', 'DELETE', `/v2/images/${id}/members/red`).expect(403);
    });
  });

  describe('tags', () => {
    it('are added once and removed', async () => {
      const id = await make(world, 'alice', { tags: ['a'] });
      const tags = async (): Promise<unknown> =>
        (await ask(world, 'alice', 'GET', `/v2/images/${id}`)).body.tags;
      for (const tag of ['b', 'b', 'x%20y'])
        await ask(world, 'alice', 'PUT', `/v2/images/${id}/tags/${tag}`).expect(204);
      expect(await tags()).to.deep.equal(['a', 'b', 'x y']);
      await ask(world, 'alice', 'DELETE', `/v2/images/${id}/tags/b`).expect(204);
      await ask(world, 'alice', 'DELETE', `/v2/images/${id}/tags/b`).expect(404);
      expect(await tags()).to.deep.equal(['a', 'x y']);
    });

    it('are limited to 255 characters and 128 tags, and to the owner’s project', async () => {
      const id = await make(world, 'alice', {
        tags: Array.from({ length: 128 }, (_, n) => `t${n}`),
        visibility: 'community',
      });
      await ask(world, 'alice', 'PUT', `/v2/images/${id}/tags/${'x'.repeat(256)}`).expect(400);
      expect(
        said(await ask(world, 'alice', 'PUT', `/v2/images/${id}/tags/x`).expect(413)),
      ).to.equal(
        `Image tag limit exceeded for image ${id}: The limit has been exceeded on the number of ` +
          'allowed image tags. Attempted: 129, Maximum: 128:',
      );
      for (const method of ['PUT', 'DELETE'])
        expect(
          said(await ask(world, 'bob', method, `/v2/images/${id}/tags/x`).expect(403)),
        ).to.equal('You are not authorized to complete modify_image action.');
      expect(said(await ask(world, 'bob', 'PUT', '/v2/images/none/tags/x').expect(404))).to.equal(
        'Image none not found.',
      );
    });
  });

  it('returns 403 or 404 for tokens without a project, with any role', async () => {
    const id = await make(world, 'alice', { visibility: 'shared' });
    const headers = { 'x-roles': 'admin', 'openstack-system-scope': 'all' };
    const system = (method: string, path: string, body?: object) =>
      ask(world, 'admin', method, `/v2${path}`, { headers, ...(body ? { body } : {}) });
    await system('GET', '/images').expect(403);
    await system('POST', '/images', {
      name: 'i',
      disk_format: 'raw',
      container_format: 'bare',
    }).expect(403);
    await system('GET', `/images/${id}`).expect(404);
    await system('DELETE', `/images/${id}`).expect(404);
    await system('PUT', `/images/${id}/tags/x`).expect(404);
    await system('POST', `/images/${id}/members`, { member: 'red' }).expect(404);
    await system('GET', `/images/${id}/members`).expect(404);
    await ask(world, 'alice', 'GET', `/v2/images/${id}`).expect(200);
  });
});
