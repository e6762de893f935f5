// Every operation at every version: inside its span it succeeds as the api-ref says, outside it is answered as upstream does.
import { expect } from 'chai';
import { inSpan, type Version } from '../../src/kernel/microversion.ts';
import { cards } from '../../src/services/index.ts';
import { onEachDatabase } from '../support/cloud.ts';
import { rawClient, type Client } from '../support/raw.ts';
import { fill, sampled } from './samples/index.ts';
import type { Route, Service } from '../../src/kernel/model.ts';

it('every service has sample requests', () => {
  expect(sampled.map(({ service }) => service)).to.have.members(cards.map(({ name }) => name));
});

for (const { service: name, config, prepare } of sampled) {
  onEachDatabase(`every operation of ${name} at every version`, config, (world) => {
    let client: Client;
    beforeEach(() => (client = rawClient(world.server)));
    afterEach(() => client.close());

    const serviceOf = (): Service => world.cloud.services.find(({ card }) => card.name === name)!;

    /** The lines of the table, one for each method and path. */
    const operations = (): readonly Route[] => {
      const { routes } = serviceOf().card;
      return routes.filter(
        ({ method, path }, index) => routes.findIndex((line) => line.method === method && line.path === path) === index,
      );
    };

    it('inside its span succeeds, and its reply is as the api-ref says', async function () {
      this.timeout(240_000);
      const { card, contract } = serviceOf();
      const { token, samples } = await prepare(client);
      const covers = (at: Version, method: string, path: string): boolean =>
        card.routes.some((line) => line.method === method && line.path === path && inSpan(at, line.span, card.versions));
      for (const at of card.versions.list) {
        const before = card.versions.list[at.index - 1];
        for (const { method, path, open } of operations()) {
          if (!covers(at, method, path)) continue;
          const operation = contract.operation(method, path, at);
          // What a version changes is the same on every database: on the second, only those are called at which the contract changes.
          if (
            world.kind === 'mysql' &&
            before &&
            covers(before, method, path) &&
            contract.operation(method, path, before) === operation
          )
            continue;
          const { id } = operation;
          const sample = await samples[id]?.(at.name);
          if (!sample) throw new Error(`there is no sample for ${id}`);
          const { params, query, refused, ...asked } = sample;
          const url = `${card.prefix}${fill(path, params)}${query ? `?${query}` : ''}`;
          const reply = await client.ask(name, method, url, { version: at.name, token, ...asked });
          // 300 is how Keystone answers with its list of versions.
          expect(reply.status, `${id} at ${at.name}: ${reply.text}`).to.be.within(refused ?? 200, refused ?? 300);
          if (card.versions.list.length > 1 && !open)
            expect(reply.headers['openstack-api-version'], id).to.equal(`${name} ${at.name}`);
        }
      }
    });

    it('outside of its span is not there', async function () {
      this.timeout(60_000);
      const { card } = serviceOf();
      const { token } = await prepare(client);
      for (const { method, path } of operations()) {
        const lines = card.routes.filter((line) => line.method === method && line.path === path);
        for (const at of card.versions.list.filter(
          (version) => !lines.some(({ span }) => inSpan(version, span, card.versions)),
        )) {
          const url = card.prefix + path.replaceAll(/:\w+/g, 'x');
          const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
          const reply = await client.ask(name, method, url, { version: at.name, token, ...body });
          expect(reply.status, `${method} ${path} at ${at.name}`).to.equal(lines[0]!.outside ?? 404);
          expect(reply.headers['openstack-api-version']).to.equal(`${name} ${at.name}`);
        }
      }
    });
  });
}
