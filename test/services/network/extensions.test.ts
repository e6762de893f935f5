// Discovery: the API version, its extensions, unknown paths, and the initial resources.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, errorOf, someone } from './support.ts';

onEachDatabase('network: discovery', { auth: 'noauth2' }, (world) => {
  describe('GET / and /v2.0', () => {
    it('shows the API version and its resources without a token', async () => {
      const reply = await world.ask('network', 'GET', '/network', { token: null }).expect(200);
      expect(reply.body.versions[0]).to.deep.include({ id: 'v2.0', status: 'CURRENT' });
      expect(reply.body.versions[0].links[0].href).to.match(/\/network\/v2\.0\/$/);
      const resources = await world
        .ask('network', 'GET', '/network/v2.0/', { token: null })
        .expect(200);
      expect(resources.body.resources.map(({ name }: { name: string }) => name)).to.deep.equal([
        'network',
        'subnet',
        'port',
      ]);
    });

    it('returns 401 without a token for other paths', async () => {
      const postError = await world
        .ask('network', 'GET', '/network/v2.0/networks', { token: null })
        .expect(401);
      expect(postError.body.error.message).to.contain('requires authentication');
    });
  });

  describe('GET /v2.0/extensions', () => {
    it('lists and shows the extensions', async () => {
      const { body } = await ask(world, 'GET', '/extensions.json').expect(200);
      expect(body.extensions.map(({ alias }: { alias: string }) => alias)).to.include.members([
        'router',
        'security-group',
        'quotas',
        'standard-attr-tag',
      ]);
      for (const alias of ['tag-creation', 'port-security-groups-filtering'])
        await ask(world, 'GET', `/extensions/${alias}`).expect(200);
      expect(
        (await ask(world, 'GET', '/extensions/router').expect(200)).body.extension.alias,
      ).to.equal('router');
    });

    it('returns 404 for an unknown extension', async () => {
      expect(errorOf(await ask(world, 'GET', '/extensions/vpnaas'))).to.equal(
        '404 HTTPNotFound: Extension with alias vpnaas does not exist',
      );
    });
  });

  describe('other paths and methods', () => {
    it('returns 404 for an unknown path, and 405 for an unknown method', async () => {
      expect(errorOf(await ask(world, 'GET', '/metering-labels'))).to.equal(
        '404 HTTPNotFound: The resource could not be found.',
      );
      expect(errorOf(await ask(world, 'PATCH', '/networks'))).to.contain(
        '405 HTTPMethodNotAllowed',
      );
    });

    it('accepts dashes and underscores in the names of collections, but not of actions', async () => {
      for (const path of [
        'security_groups',
        'floatingip-pools',
        'qos/rule_types',
        'metering/metering_label_rules',
      ])
        expect((await ask(world, 'GET', `/${path}`)).status).to.not.equal(404, path);
      const { body } = await ask(world, 'GET', '/networks?name=private');
      const network = `/networks/${body.networks[0].id}`;
      await ask(world, 'PUT', `${network}/tags/security_groups`).expect(201);
      const tags = await ask(world, 'GET', `${network}/tags`).expect(200);
      expect(tags.body.tags).to.deep.equal(['security_groups']);
      await ask(world, 'GET', `${network}/dhcp_agents`).expect(200);
      await ask(world, 'PUT', '/routers/x/add-router-interface', {}).expect(404);
    });

    it('returns 400 for a DELETE with a body', async () => {
      expect(errorOf(await ask(world, 'DELETE', '/networks/x', {}))).to.equal(
        '400 HTTPBadRequest: Request body is not supported in DELETE.',
      );
    });
  });

  describe('a new region', () => {
    it('creates the networks and the router of DevStack in a new region', async () => {
      const { body } = await ask(world, 'GET', '/networks?sort_key=name&sort_dir=asc');
      expect(body.networks.map(({ name }: { name: string }) => name)).to.deep.equal([
        'private',
        'public',
      ]);
      const routers = (
        await ask(world, 'GET', '/routers', undefined, someone('admin', 'admin', 'admin'))
      ).body.routers;
      expect(routers[0]).to.include({ name: 'router1' });
      expect(routers[0].external_gateway_info.external_fixed_ips[0].ip_address).to.equal(
        '172.24.4.2',
      );
    });
  });
});
