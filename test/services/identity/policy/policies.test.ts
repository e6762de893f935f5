// Policies and their associations.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, message } from '../support.ts';

onEachDatabase('identity: policies', {}, (world) => {
  const endpointOf = async (type: string, face: string) => {
    const [service] = (await ask(world, 'GET', `/v3/services?type=${type}`)).body.services;
    const [endpoint] = (
      await ask(world, 'GET', `/v3/endpoints?service_id=${service.id}&interface=${face}`)
    ).body.endpoints;
    return { service: service.id as string, endpoint: endpoint.id as string };
  };

  describe('/v3/policies', () => {
    const create = async (): Promise<string> =>
      (
        await ask(world, 'POST', '/v3/policies', {
          body: { policy: { type: 'application/json', blob: '{}', note: 'n' } },
        })
      ).body.policy.id as string;

    it('creates, shows, updates, lists and deletes a policy', async () => {
      const id = await create();
      const one = `/v3/policies/${id}`;
      expect((await ask(world, 'GET', one)).body.policy).to.include({
        id,
        type: 'application/json',
        blob: '{}',
        note: 'n',
      });
      const changed = await ask(world, 'PATCH', one, { body: { policy: { blob: '[]', more: 1 } } });
      expect(changed.body.policy).to.include({
        blob: '[]',
        note: 'n',
        more: 1,
        type: 'application/json',
      });
      expect(message(await ask(world, 'PATCH', one, { body: { policy: { id: 'x' } } }))).to.equal(
        'Cannot change policy ID',
      );
      expect((await ask(world, 'GET', '/v3/policies?type=x')).body.policies).to.deep.equal([]);
      expect((await ask(world, 'DELETE', one)).status).to.equal(204);
      expect(message(await ask(world, 'GET', one))).to.equal(`Could not find policy: ${id}.`);
    });

    it('associates policies with endpoints, services and regions, of which the nearest applies', async () => {
      const { endpoint, service } = await endpointOf('compute', 'public');
      const [own, regional, general] = [await create(), await create(), await create()];
      const place = (policy: string, rest: string) =>
        `/v3/policies/${policy}/OS-ENDPOINT-POLICY${rest}`;
      const nearest = async () =>
        (await ask(world, 'GET', `/v3/endpoints/${endpoint}/OS-ENDPOINT-POLICY/policy`)).body.policy
          ?.id as string;
      expect(await nearest()).to.equal(undefined);
      const places: [string, string][] = [
        [general, place(general, `/services/${service}`)],
        [regional, place(regional, `/services/${service}/regions/RegionOne`)],
        [own, place(own, `/endpoints/${endpoint}`)],
      ];
      for (const [policy, path] of places) {
        expect(message(await ask(world, 'GET', path))).to.equal(
          'Could not find policy association.',
        );
        expect((await ask(world, 'PUT', path)).status).to.equal(204);
        expect((await ask(world, 'GET', path)).status).to.equal(204);
        expect(await nearest()).to.equal(policy);
      }
      const of = async (policy: string) =>
        (await ask(world, 'GET', place(policy, '/endpoints'))).body.endpoints as unknown[];
      expect(
        [await of(own), await of(regional), await of(general)].map((all) => all.length),
      ).to.deep.equal([1, 3, 3]);
      await ask(world, 'PUT', place(general, `/endpoints/${endpoint}`));
      expect(await nearest()).to.equal(general);
      expect((await ask(world, 'GET', place(own, `/endpoints/${endpoint}`))).status).to.equal(404);
      expect((await ask(world, 'DELETE', place(own, `/endpoints/${endpoint}`))).status).to.equal(
        204,
      );
      expect(await nearest()).to.equal(general);
      await ask(world, 'DELETE', `/v3/policies/${general}`);
      expect(await nearest()).to.equal(regional);
      await ask(world, 'DELETE', `/v3/services/${service}`);
      expect(await of(regional)).to.deep.equal([]);
    });
  });
});
