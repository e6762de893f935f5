// The service as a whole: discovery, extensions, quotas, tags, availability, and that contract and
// code name the same attributes.
import { expect } from 'chai';
import { Contract } from '../../../src/kernel/contract/contract.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import type { AttributeMap } from '../../../src/services/network/domain/attributes/definitions.ts';
import { networkAttributes } from '../../../src/services/network/domain/networks/attributes.ts';
import { portAttributes } from '../../../src/services/network/domain/ports/attributes.ts';
import { routerAttributes } from '../../../src/services/network/domain/routers/attributes.ts';
import { floatingipAttributes } from '../../../src/services/network/domain/routers/floatingip-attributes.ts';
import {
  groupAttributes,
  ruleAttributes,
} from '../../../src/services/network/domain/security-groups/attributes.ts';
import { subnetAttributes } from '../../../src/services/network/domain/subnets/attributes.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, make, member, reader, refusal, someone, stranger } from './support.ts';

describe('network: the contract', () => {
  const maps: Record<string, AttributeMap> = {
    Network: networkAttributes,
    Subnet: subnetAttributes,
    Port: portAttributes,
    Router: routerAttributes,
    Floatingip: floatingipAttributes,
    SecurityGroup: groupAttributes,
    SecurityGroupRule: ruleAttributes,
  };
  const schemas = (new Contract('network').load()['components'] as JsonObject)['schemas'] as Record<
    string,
    { properties: JsonObject }
  >;
  const names = (
    map: AttributeMap,
    having: (attribute: AttributeMap['attributes'][string]) => unknown,
  ): string[] =>
    Object.entries(map.attributes).flatMap(([name, attribute]) =>
      having(attribute) ? [name] : [],
    );

  for (const [schema, map] of Object.entries(maps)) {
    it(`has the attributes of a ${map.resource} that the code has`, () => {
      expect(Object.keys(schemas[schema]!.properties)).to.have.members(
        names(map, ({ visible = true }) => visible),
      );
      expect(Object.keys(schemas[`${schema}New`]!.properties)).to.have.members(
        names(map, ({ post }) => post),
      );
      const update = schemas[`${schema}Update`]?.properties[map.resource] as
        { properties: JsonObject } | undefined;
      expect(Object.keys(update?.properties ?? {})).to.have.members(names(map, ({ put }) => put));
    });
  }
});

onEachDatabase('network: the service', { auth: 'noauth2' }, (world) => {
  it('tells its version without a token', async () => {
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
    const refused = await world
      .ask('network', 'GET', '/network/v2.0/networks', { token: null })
      .expect(401);
    expect(refused.body.error.message).to.contain('requires authentication');
  });

  it('lists its extensions', async () => {
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
    expect(refusal(await ask(world, 'GET', '/extensions/qos'))).to.equal(
      '404 HTTPNotFound: Extension with alias qos does not exist',
    );
  });

  it('knows neither other paths nor other methods', async () => {
    expect(refusal(await ask(world, 'GET', '/metering-labels'))).to.equal(
      '404 HTTPNotFound: The resource could not be found.',
    );
    expect(refusal(await ask(world, 'PATCH', '/networks'))).to.contain('405 HTTPMethodNotAllowed');
    expect(refusal(await ask(world, 'DELETE', '/networks/x', {}))).to.equal(
      '400 HTTPBadRequest: Request body is not supported in DELETE.',
    );
  });

  describe('quotas', () => {
    const usual = {
      network: 100,
      subnet: 100,
      subnetpool: -1,
      port: 500,
      router: 10,
      floatingip: 50,
      security_group: 10,
      security_group_rule: 100,
    };

    it('are shown, changed and taken back', async () => {
      expect((await ask(world, 'GET', '/quotas/blue').expect(200)).body).to.deep.equal({
        quota: usual,
      });
      const put = (quota: object, as = {}) => ask(world, 'PUT', '/quotas/blue', { quota }, as);
      expect((await put({ network: 3, port: '-1' }).expect(200)).body.quota).to.deep.equal({
        ...usual,
        network: 3,
        port: -1,
      });
      expect((await ask(world, 'GET', '/quotas').expect(200)).body.quotas).to.deep.include({
        ...usual,
        network: 3,
        port: -1,
        project_id: 'blue',
        tenant_id: 'blue',
      });
      expect(
        (await ask(world, 'GET', '/quotas/blue/default').expect(200)).body.quota,
      ).to.deep.equal(usual);
      await make(world, 'network', {}, member);
      expect(
        (await ask(world, 'GET', '/quotas/blue/details.json').expect(200)).body.quota.network,
      ).to.deep.equal({
        limit: 3,
        used: 1,
        reserved: 0,
      });
      expect(refusal(await put({ network: 0 }))).to.equal(
        '400 HTTPBadRequest: Quota limit 0 for network must be greater than or equal to already used 1',
      );
      await put({ network: 0, force: true }).expect(200);
      expect(refusal(await put({ cats: 1 }))).to.equal(
        "400 HTTPBadRequest: Unrecognized attribute(s) 'cats'",
      );
      expect(refusal(await put({ network: -2 }))).to.contain(
        "'-2' is too small - must be at least '-1'",
      );
      await ask(world, 'DELETE', '/quotas/blue').expect(204);
      expect(refusal(await ask(world, 'DELETE', '/quotas/blue'))).to.equal(
        '404 TenantQuotaNotFound: Quota for project blue could not be found.',
      );
    });

    it('are for admins; to see, for the project and its managers', async () => {
      await ask(world, 'GET', '/quotas/blue', undefined, reader).expect(200);
      expect(refusal(await ask(world, 'GET', '/quotas/blue', undefined, stranger))).to.contain(
        '403 PolicyNotAuthorized: rule:get_quota',
      );
      expect(refusal(await ask(world, 'PUT', '/quotas/blue', { quota: {} }, member))).to.contain(
        '403 PolicyNotAuthorized',
      );
      expect(
        refusal(await ask(world, 'GET', '/quotas/blue/details', undefined, stranger)),
      ).to.contain('403 AdminRequired');
      expect(
        (await ask(world, 'GET', '/quotas/project', undefined, member).expect(200)).body,
      ).to.deep.equal({
        project: { project_id: 'blue' },
      });
    });
  });

  describe('tags', () => {
    it('are put on, asked for and taken off', async () => {
      const { id } = await make(world, 'network', { name: 'n' }, member);
      const tags = (method: string, path = '', body?: unknown, as = member) =>
        ask(world, method, `/networks/${id}/tags${path}`, body, as);
      expect((await tags('PUT', '', { tags: ['b', 'a'] }).expect(200)).body.tags).to.have.members([
        'a',
        'b',
      ]);
      await tags('PUT', '/c').expect(201);
      await tags('GET', '/c').expect(204);
      expect(refusal(await tags('GET', '/x'))).to.equal(
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
      expect(refusal(await tags('PUT', '', { tags: ['a', 'a'] }))).to.contain('400 InvalidInput');
      expect(refusal(await tags('PUT', '', { tag: 'a' }))).to.equal(
        '400 InvalidInput: Invalid input for operation: Invalid tags body.',
      );
      expect(
        refusal(await tags('PUT', '', { tags: Array.from({ length: 51 }, (_, n) => `t${n}`) })),
      ).to.contain('exceed the per-resource limit of 50');
      expect(refusal(await tags('PUT', '', { tags: [] }, reader))).to.contain(
        '403 PolicyNotAuthorized: rule:update_network:tags',
      );
      expect(refusal(await tags('GET', '', undefined, stranger))).to.contain('404 NetworkNotFound');
      await tags('DELETE').expect(204);
    });

    it('narrow lists', async () => {
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

  it('has one zone, of networks and of routers', async () => {
    const zones = (await ask(world, 'GET', '/availability_zones', undefined, reader).expect(200))
      .body.availability_zones;
    expect(zones).to.deep.equal(
      ['network', 'router'].map((resource) => ({ name: 'nova', resource, state: 'available' })),
    );
    expect(
      (await ask(world, 'GET', '/availability_zones?resource=router', undefined, reader)).body
        .availability_zones,
    ).to.have.length(1);
  });

  it('tells admins how many addresses are left', async () => {
    const { body } = await ask(
      world,
      'GET',
      '/network-ip-availabilities?network_name=private',
    ).expect(200);
    expect(body.network_ip_availabilities[0]).to.include({
      network_name: 'private',
      total_ips: 1021,
      used_ips: 1,
    });
    const { network_id: id } = body.network_ip_availabilities[0];
    const one = await ask(world, 'GET', `/network-ip-availabilities/${id}`).expect(200);
    expect(one.body.network_ip_availability.subnet_ip_availability[0]).to.include({
      cidr: '10.0.0.0/22',
      used_ips: 1,
    });
    expect(
      (await ask(world, 'GET', '/network-ip-availabilities', undefined, member)).body
        .network_ip_availabilities,
    ).to.deep.equal([]);
  });

  it('lets a region start with the networks of DevStack, with the same ids after a reset', async () => {
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

  it('lists what implements its services', async () => {
    const list = async (query = '', as = member): Promise<{ name: string }[]> =>
      (await ask(world, 'GET', `/service-providers${query}`, undefined, as).expect(200)).body
        .service_providers as never;
    expect((await list()).map(({ name }) => name)).to.deep.equal([
      'dvrha',
      'dvr',
      'ha',
      'single_node',
    ]);
    expect(await list('?name=ha')).to.deep.equal([
      { service_type: 'L3_ROUTER_NAT', name: 'ha', default: false },
    ]);
    expect(await list('?service_type=LOADBALANCERV2')).to.deep.equal([]);
    expect(await list('?default=True')).to.deep.equal([]);
    expect(
      refusal(await ask(world, 'GET', '/service-providers?colour=red', undefined, member)),
    ).to.contain('is invalid attribute');
  });
});
