// The tags of resources.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, make, member, reader, errorOf, otherMember } from './support.ts';

onEachDatabase('network: tags', { auth: 'noauth2' }, (world) => {
  describe('/v2.0/networks/{id}/tags', () => {
    it('adds, shows, replaces and deletes tags, and increments the revision', async () => {
      const { id } = await make(world, 'network', { name: 'n' }, member);
      const tags = (method: string, path = '', body?: unknown, as = member) =>
        ask(world, method, `/networks/${id}/tags${path}`, body, as);
      expect((await tags('PUT', '', { tags: ['b', 'a'] }).expect(200)).body.tags).to.have.members([
        'a',
        'b',
      ]);
      await tags('PUT', '/c').expect(201);
      await tags('GET', '/c').expect(204);
      expect(errorOf(await tags('GET', '/x'))).to.equal(
        '404 TagNotFound: Tag x could not be found.',
      );
      await tags('DELETE', '/a').expect(204);
      expect((await tags('POST', '', { tags: ['d', 'b'] }).expect(200)).body.tags).to.deep.equal([
        'd',
        'b',
      ]);
      expect((await tags('GET', '').expect(200)).body.tags).to.have.members(['b', 'c', 'd']);
      expect((await tags('GET').expect(200)).body.tags).to.deep.equal(['b', 'c', 'd']);
      const { body } = await ask(world, 'GET', `/networks/${id}`, undefined, member);
      expect(body.network).to.deep.include({ tags: ['b', 'c', 'd'], revision_number: 4 });
    });

    it('returns 400 for duplicate tags, an invalid body, or more than 50 tags', async () => {
      const { id } = await make(world, 'network', { name: 'n' }, member);
      const tags = (method: string, path = '', body?: unknown, as = member) =>
        ask(world, method, `/networks/${id}/tags${path}`, body, as);
      expect(errorOf(await tags('PUT', '', { tags: ['a', 'a'] }))).to.contain('400 InvalidInput');
      expect(errorOf(await tags('PUT', '', { tag: 'a' }))).to.equal(
        '400 InvalidInput: Invalid input for operation: Invalid tags body.',
      );
      expect(
        errorOf(await tags('PUT', '', { tags: Array.from({ length: 51 }, (_, n) => `t${n}`) })),
      ).to.contain('exceed the per-resource limit of 50');
    });

    it('returns 403 to readers, and 404 to another project', async () => {
      const { id } = await make(world, 'network', { name: 'n' }, member);
      const tags = (method: string, path = '', body?: unknown, as = member) =>
        ask(world, method, `/networks/${id}/tags${path}`, body, as);
      expect(errorOf(await tags('PUT', '', { tags: [] }, reader))).to.contain(
        '403 PolicyNotAuthorized: rule:update_network:tags',
      );
      expect(errorOf(await tags('GET', '', undefined, otherMember))).to.contain(
        '404 NetworkNotFound',
      );
    });

    it('deletes all tags', async () => {
      const { id } = await make(world, 'network', { name: 'n' }, member);
      const tags = (method: string, path = '', body?: unknown, as = member) =>
        ask(world, method, `/networks/${id}/tags${path}`, body, as);
      await tags('PUT', '', { tags: ['a', 'b'] }).expect(200);
      await tags('DELETE').expect(204);
      expect((await tags('GET').expect(200)).body.tags).to.deep.equal([]);
    });
  });

  describe('GET /v2.0/networks', () => {
    it('filters lists by all, any or none of the tags', async () => {
      for (const [name, tags] of [
        ['one', ['a']],
        ['two', ['a', 'b']],
        ['three', ['c']],
      ] as const) {
        const { id } = await make(world, 'network', { name }, member);
        await ask(world, 'PUT', `/networks/${id}/tags`, { tags }, member).expect(200);
      }
      const names = async (query: string): Promise<string[]> =>
        (
          await ask(world, 'GET', `/networks?project_id=blue&sort_key=name&sort_dir=asc&${query}`)
        ).body.networks.map(({ name }: { name: string }) => name);
      expect(await names('tags=a')).to.deep.equal(['one', 'two']);
      expect(await names('tags=a,b')).to.deep.equal(['two']);
      expect(await names('tags-any=b,c')).to.deep.equal(['three', 'two']);
      expect(await names('not-tags=a,b')).to.deep.equal(['one', 'three']);
      expect(await names('not-tags-any=a,b')).to.deep.equal(['three']);
    });
  });
});
