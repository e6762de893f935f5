// Calls every operation at every microversion that changes it: within its span it must succeed and
// match the api-ref, outside it must fail as upstream does.
import { expect } from 'chai';
import { inSpan, type Version } from '../../../src/kernel/microversion.ts';
import type { Route, Service } from '../../../src/kernel/model.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { rawClient, type Client } from '../../support/raw.ts';
import { fill, sampled } from '../samples/index.ts';

/**
 * Declares the suite of a service. It calls each operation at the versions at which it changes: the
 * first and last that have it, and each at which its route or its contract differs from the
 * previous version.
 */
export function callEveryMicroversion(name: string): void {
  const { config, prepare } = sampled.find(({ service }) => service === name)!;
  onEachDatabase(`every operation of ${name} at each version that changes it`, config, (world) => {
    let client: Client;
    beforeEach(() => (client = rawClient(world.server)));
    afterEach(() => client.close());

    const serviceOf = (): Service =>
      world.cloud.services.find(({ definition }) => definition.name === name)!;

    /** The routes of the service, one for each method and path. */
    const operations = (): readonly Route[] => {
      const { routes } = serviceOf().definition;
      return routes.filter(
        ({ method, path }, index) =>
          routes.findIndex((line) => line.method === method && line.path === path) === index,
      );
    };

    /** The route that serves an operation at a version; undefined if there is no such route. */
    const routeAt = (version: Version | undefined, { method, path }: Route): Route | undefined => {
      const { routes, versions } = serviceOf().definition;
      return (
        version &&
        routes.find(
          (line) =>
            line.method === method && line.path === path && inSpan(version, line.span, versions),
        )
      );
    };

    /** Whether the operation differs from the previous version, or is absent from the next one. */
    const changes = (version: Version, route: Route): boolean => {
      const { definition, contract } = serviceOf();
      const [before, after] = [
        definition.versions.list[version.index - 1],
        definition.versions.list[version.index + 1],
      ];
      if (!before || routeAt(before, route) !== routeAt(version, route) || !routeAt(after, route))
        return true;
      return (
        contract.operation(route.method, route.path, before) !==
        contract.operation(route.method, route.path, version)
      );
    };

    it('succeeds within its span with a reply that matches the api-ref', async () => {
      const { definition, contract } = serviceOf();
      const { token, samples } = await prepare(client);
      for (const version of definition.versions.list) {
        for (const route of operations().filter(
          (one) => routeAt(version, one) && changes(version, one),
        )) {
          const { method, path, open } = route;
          const { id } = contract.operation(method, path, version);
          const sample = await samples[id]?.(version.name);
          if (!sample) throw new Error(`no sample request for ${id}`);
          const { params, query, refused, ...request } = sample;
          const url = `${definition.prefix}${fill(path, params)}${query ? `?${query}` : ''}`;
          const reply = await client.ask(name, method, url, {
            version: version.name,
            token,
            ...request,
          });
          // Keystone returns its list of versions with status 300; OpenID providers redirect.
          expect(reply.status, `${id} at ${version.name}: ${reply.text}`).to.be.within(
            refused ?? 200,
            refused ?? 302,
          );
          // Senlin sends no version headers with errors or replies without a body.
          const hasVersionHeader =
            name !== 'clustering' || (reply.status < 400 && reply.status !== 204);
          if (definition.versions.list.length > 1 && !open && hasVersionHeader)
            expect(reply.headers['openstack-api-version'], id).to.equal(`${name} ${version.name}`);
        }
      }
    });

    it('returns the status of an unknown path outside its span', async () => {
      const { definition } = serviceOf();
      const { token } = await prepare(client);
      const { list, min, max } = definition.versions;
      for (const route of operations()) {
        const { method, path } = route;
        const lines = definition.routes.filter(
          (line) => line.method === method && line.path === path,
        );
        // The ends of each gap: versions next to one that has the operation, and the first and last
        // of all.
        const edge = (version: Version): boolean =>
          version === min ||
          version === max ||
          [-1, 1].some((by) => routeAt(list[version.index + by], route));
        for (const at of list.filter((version) => !routeAt(version, route) && edge(version))) {
          const url = definition.prefix + path.replaceAll(/:\w+/g, 'x');
          const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
          const reply = await client.ask(name, method, url, { version: at.name, token, ...body });
          expect(reply.status, `${method} ${path} at ${at.name}`).to.equal(
            lines[0]!.statusOutsideSpan ?? 404,
          );
          const versionHeader = name === 'clustering' ? undefined : `${name} ${at.name}`;
          expect(reply.headers['openstack-api-version']).to.equal(versionHeader);
        }
      }
    });
  });
}
