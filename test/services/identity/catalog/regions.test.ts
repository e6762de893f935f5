// Regions in the catalog.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, make, message, signIn } from '../support.ts';

onEachDatabase('identity: regions', { regions: ['RegionOne', 'RegionTwo'] }, (world) => {
  describe('/v3/regions', () => {
    it('creates, lists, shows, updates and deletes a region', async () => {
      const region = await make(world, 'region', {
        id: 'Ré 1',
        description: null,
        parent_region_id: 'RegionOne',
        x: 1,
      });
      expect(region).to.deep.include({
        id: 'Ré 1',
        description: '',
        parent_region_id: 'RegionOne',
        x: 1,
      });
      const path = `/v3/regions/${encodeURIComponent('Ré 1')}`;
      expect((await ask(world, 'GET', path)).body.region).to.deep.equal(region);
      expect(
        (await ask(world, 'GET', '/v3/regions?parent_region_id=RegionOne')).body.regions,
      ).to.have.length(1);
      expect((await ask(world, 'GET', '/v3/regions?unheard=of')).status).to.equal(400);
      const changed = await ask(world, 'PATCH', path, { body: { region: { description: 'd' } } });
      expect(changed.body.region).to.include({
        description: 'd',
        parent_region_id: 'RegionOne',
        x: 1,
      });
      expect((await ask(world, 'DELETE', path)).status).to.equal(204);
      expect(message(await ask(world, 'GET', path))).to.equal('Could not find region: Ré 1.');
    });

    it('creates a region with the id in the path, and returns 409 for a duplicate id', async () => {
      expect(
        (await ask(world, 'PUT', '/v3/regions/R3', { body: { region: {} } })).body.region.id,
      ).to.equal('R3');
      const again = await ask(world, 'PUT', '/v3/regions/R3', { body: { region: {} } });
      expect(again.status).to.equal(409);
      expect(message(again)).to.equal(
        'Conflict occurred attempting to store region - Duplicate ID, R3..',
      );
    });

    it('returns 400 if the body has another id than the path', async () => {
      const other = await ask(world, 'PUT', '/v3/regions/R4', { body: { region: { id: 'R5' } } });
      expect(message(other)).to.equal('Conflicting region IDs specified: "R4" != "R5"');
    });

    it('generates an id if the id is empty', async () => {
      expect((await make(world, 'region', { id: '' })).id).to.match(/^[0-9a-f]{32}$/);
    });

    it('returns 400 for a circular hierarchy', async () => {
      await make(world, 'region', { id: 'child', parent_region_id: 'RegionOne' });
      const circle = await ask(world, 'PATCH', '/v3/regions/RegionOne', {
        body: { region: { parent_region_id: 'child' } },
      });
      expect(circle.status).to.equal(400);
      expect(message(circle)).to.equal(
        'The specified parent region child would create a circular region hierarchy.',
      );
    });

    it('returns 404 for an unknown parent', async () => {
      expect(
        (
          await ask(world, 'POST', '/v3/regions', {
            body: { region: { parent_region_id: 'nope' } },
          })
        ).status,
      ).to.equal(404);
    });

    it('returns 403 for deleting a region with endpoints', async () => {
      const used = await ask(world, 'DELETE', '/v3/regions/RegionOne');
      expect(used.status).to.equal(403);
      expect(message(used)).to.equal(
        'Unable to delete region RegionOne because it or its child regions have associated endpoints.',
      );
    });

    it('lists regions for every user, and returns 403 for changes', async () => {
      const token = await signIn(world, { name: 'demo', scope: null });
      expect((await ask(world, 'GET', '/v3/regions', { token })).body.regions).to.have.length(2);
      expect(
        (await ask(world, 'POST', '/v3/regions', { token, body: { region: {} } })).status,
      ).to.equal(403);
    });
  });
});
