// Tests tenant isolation in the gateways of a central region: another project tries every server,
// volume and snapshot operation on a tenant's resources.
import { expect } from 'chai';
import type { Route } from '../../../src/kernel/model.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  alice,
  bob,
  Tenancy,
  threePods,
  type Ask,
  type Json,
  type Person,
} from '../../services/gateway/support.ts';
import { actionBodies } from '../samples/actions.ts';

const reader: Person = { token: 'bert:bolts', roles: 'reader' };

onEachDatabase('tenant isolation in the gateways', threePods, (world) => {
  let cloud: Tenancy;
  beforeEach(() => (cloud = new Tenancy(world)));

  const routesOf = (service: string): readonly Route[] =>
    world.cloud.services.find(
      ({ definition }) => definition.api === service && definition.regions === 'central',
    )!.definition.routes;

  /**
   * Sends every GET, DELETE and action below a resource.
   * @returns the requests that are not refused
   */
  async function unrefused(ask: Ask, service: string, root: string, id: string): Promise<string[]> {
    const open: string[] = [];
    const lines = routesOf(service).filter(({ path }) => path.startsWith(`${root}/:`));
    expect(lines.length).to.be.at.least(7);
    for (const as of [bob, reader]) {
      for (const { method, path, actions } of lines) {
        const version = root.includes('v2.1') ? '/v2.1' : '/v3';
        const [first = '', ...rest] = path.slice(root.length + 1).split('/');
        const below = rest.map((part) => `/${part.replace(/^:.*/, 'x')}`).join('');
        const at = `${root.slice(version.length)}/${first.replace(/^:.*/, id)}${below}`;
        const operation = path.includes('/migrations/')
          ? 'server_migrations:act'
          : `${root.slice(version.length + 1)}:act`;
        const bodies = actions
          ? Object.keys(actions).map((name) => ({ [name]: actionBodies[operation]![name]!.body }))
          : method === 'GET' || method === 'DELETE'
            ? [undefined]
            : [];
        for (const body of bodies) {
          const { status, text } = await ask(method, at, { as, body });
          if (![400, 403, 404, 410].includes(status))
            open.push(`${as.roles}: ${method} ${at} ${JSON.stringify(body)}: ${status} ${text}`);
        }
      }
    }
    return open;
  }

  it('refuses every operation on another tenant’s servers, volumes and snapshots', async () => {
    const server = (await cloud.server('s'))['id'] as string;
    const volume = (await cloud.volume('v'))['id'] as string;
    const made = await cloud
      .cinder('POST', '/snapshots', { body: { snapshot: { volume_id: volume } } })
      .expect(202);
    const snapshot = (made.body as Json)['snapshot'] as Json;
    expect(await unrefused(cloud.nova, 'compute', '/v2.1/servers', server)).to.deep.equal([]);
    expect(await unrefused(cloud.cinder, 'volume', '/v3/volumes', volume)).to.deep.equal([]);
    expect(
      await unrefused(cloud.cinder, 'volume', '/v3/snapshots', snapshot['id'] as string),
    ).to.deep.equal([]);
    await cloud.nova('GET', `/servers/${server}`, { as: alice }).expect(200);
    await cloud.cinder('GET', `/volumes/${volume}`, { as: alice }).expect(200);
  });

  it('lists no resource of other tenants, and refuses to change quotas and flavors', async () => {
    await cloud.server('s');
    await cloud.volume('v');
    await cloud
      .nova('POST', '/os-server-groups', {
        body: { server_group: { name: 'g', policy: 'affinity' } },
      })
      .expect(200);
    for (const as of [bob, reader]) {
      for (const path of [
        '/servers',
        '/servers/detail',
        '/os-server-groups',
        '/os-server-groups?all_projects=1',
      ])
        expect(
          Object.values((await cloud.nova('GET', path, { as }).expect(200)).body as Json)[0],
          path,
        ).to.deep.equal([]);
      for (const path of [
        '/volumes',
        '/volumes/detail',
        '/volumes/detail?all_tenants=1',
        '/snapshots/detail',
      ])
        expect(
          Object.values((await cloud.cinder('GET', path, { as }).expect(200)).body as Json)[0],
          path,
        ).to.deep.equal([]);
      const refused: [Ask, string, string, object?][] = [
        [cloud.nova, 'GET', '/servers?all_tenants=1'],
        [cloud.nova, 'GET', '/os-quota-sets/acme'],
        [cloud.nova, 'GET', '/os-quota-sets/acme/detail'],
        [cloud.nova, 'PUT', '/os-quota-sets/acme', { quota_set: { cores: 1 } }],
        [cloud.nova, 'DELETE', '/os-quota-sets/acme'],
        [cloud.nova, 'PUT', '/os-quota-class-sets/default', { quota_class_set: { cores: 1 } }],
        [cloud.nova, 'GET', '/os-keypairs?user_id=alice'],
        [cloud.nova, 'POST', '/flavors', { flavor: { name: 'f', ram: 1, vcpus: 1, disk: 1 } }],
        [cloud.nova, 'DELETE', '/flavors/1'],
        [cloud.nova, 'POST', '/flavors/1/os-extra_specs', { extra_specs: { a: 'b' } }],
        [cloud.cinder, 'GET', '/os-quota-sets/acme'],
        [cloud.cinder, 'GET', '/os-quota-sets/acme?usage=True'],
        [cloud.cinder, 'PUT', '/os-quota-sets/acme', { quota_set: { volumes: 1 } }],
        [cloud.cinder, 'DELETE', '/os-quota-sets/acme'],
        [cloud.cinder, 'POST', '/types', { volume_type: { name: 't' } }],
      ];
      for (const [ask, method, path, body] of refused)
        expect(
          (await ask(method, path, { as, body })).status,
          `${as.roles}: ${method} ${path}`,
        ).to.equal(403);
    }
  });
});
