// The version sweep: inside its span each operation succeeds as the api-ref says, outside it is
// answered as upstream does.
import { expect } from 'chai';
import { inSpan, type Version } from '../../../src/kernel/microversion.ts';
import type { Route, Service } from '../../../src/kernel/model.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { rawClient, type Client } from '../../support/raw.ts';
import { fill, sampled } from '../samples/index.ts';

/**
 * Declares the sweep of a service. An operation is called at the versions at which it changes: the
 * first and the last that have it, and each at which its line of the table or its contract is
 * another than at the version before.
 */
export function sweep(name: string): void {
  const { config, prepare } = sampled.find(({ service }) => service === name)!;
  onEachDatabase(`every operation of ${name} at each version that changes it`, config, (world) => {
    let client: Client;
    beforeEach(() => (client = rawClient(world.server)));
    afterEach(() => client.close());

    const serviceOf = (): Service =>
      world.cloud.services.find(({ definition }) => definition.name === name)!;

    /** The lines of the table, one for each method and path. */
    const operations = (): readonly Route[] => {
      const { routes } = serviceOf().definition;
      return routes.filter(
        ({ method, path }, index) =>
          routes.findIndex((line) => line.method === method && line.path === path) === index,
      );
    };

    /** The line that serves an operation at a version; undefined where it has none. */
    const lineAt = (version: Version | undefined, { method, path }: Route): Route | undefined => {
      const { routes, versions } = serviceOf().definition;
      return (
        version &&
        routes.find(
          (line) =>
            line.method === method && line.path === path && inSpan(version, line.span, versions),
        )
      );
    };

    /** Whether the version before, or none after, serves the operation in another way. */
    const changes = (version: Version, route: Route): boolean => {
      const { definition, contract } = serviceOf();
      const [before, after] = [
        definition.versions.list[version.index - 1],
        definition.versions.list[version.index + 1],
      ];
      if (!before || lineAt(before, route) !== lineAt(version, route) || !lineAt(after, route))
        return true;
      return (
        contract.operation(route.method, route.path, before) !==
        contract.operation(route.method, route.path, version)
      );
    };

    it('inside its span succeeds, and its reply is as the api-ref says', async () => {
      const { definition, contract } = serviceOf();
      const { token, samples } = await prepare(client);
      for (const version of definition.versions.list) {
        for (const route of operations().filter(
          (one) => lineAt(version, one) && changes(version, one),
        )) {
          const { method, path, open } = route;
          const { id } = contract.operation(method, path, version);
          const sample = await samples[id]?.(version.name);
          if (!sample) throw new Error(`there is no sample for ${id}`);
          const { params, query, refused, ...asked } = sample;
          const url = `${definition.prefix}${fill(path, params)}${query ? `?${query}` : ''}`;
          const reply = await client.ask(name, method, url, {
            version: version.name,
            token,
            ...asked,
          });
          // 300 is how Keystone answers with its list of versions.
          expect(reply.status, `${id} at ${version.name}: ${reply.text}`).to.be.within(
            refused ?? 200,
            refused ?? 300,
          );
          // Senlin's refusals have no version headers, nor have answers without a body.
          const isTold = name !== 'clustering' || (reply.status < 400 && reply.status !== 204);
          if (definition.versions.list.length > 1 && !open && isTold)
            expect(reply.headers['openstack-api-version'], id).to.equal(`${name} ${version.name}`);
        }
      }
    });

    it('outside of its span is not there', async () => {
      const { definition } = serviceOf();
      const { token } = await prepare(client);
      const { list, min, max } = definition.versions;
      for (const route of operations()) {
        const { method, path } = route;
        const lines = definition.routes.filter(
          (line) => line.method === method && line.path === path,
        );
        // The ends of each gap: next to a version that has it, and the first and the last of all.
        const edge = (version: Version): boolean =>
          version === min ||
          version === max ||
          [-1, 1].some((by) => lineAt(list[version.index + by], route));
        for (const at of list.filter((version) => !lineAt(version, route) && edge(version))) {
          const url = definition.prefix + path.replaceAll(/:\w+/g, 'x');
          const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
          const reply = await client.ask(name, method, url, { version: at.name, token, ...body });
          expect(reply.status, `${method} ${path} at ${at.name}`).to.equal(
            lines[0]!.statusOutsideSpan ?? 404,
          );
          const told = name === 'clustering' ? undefined : `${name} ${at.name}`;
          expect(reply.headers['openstack-api-version']).to.equal(told);
        }
      }
    });
  });
}
