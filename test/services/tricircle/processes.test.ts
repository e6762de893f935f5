// Twenty concurrent clients of the gateway through two processes on one MySQL, while an admin puts
// their pod under maintenance.
import { expect } from 'chai';
import { onTwoProcesses } from '../../support/processes.ts';
import type { Fields } from './support.ts';

const tenants = ['a', 'b', 'c', 'd'];

async function ask(
  origin: string,
  method: string,
  path: string,
  body?: object,
  tenant = 'admin',
): Promise<[status: number, Fields]> {
  const headers = {
    'x-auth-token': tenant === 'admin' ? 'admin' : `${tenant}:${tenant}`,
    'x-roles': tenant === 'admin' ? 'admin' : 'member,reader',
    accept: 'application/json',
    'content-type': 'application/json',
    'openstack-api-version': 'compute 2.90',
  };
  const response = await fetch(`${origin}${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return [response.status, (/^[{[]/.test(text) ? JSON.parse(text) : { text }) as Fields];
}

const flags = ['--regions', 'CentralRegion,RegionOne,RegionTwo', '--hosts', '1'];

onTwoProcesses('servers of many tenants through two processes on one MySQL', flags, (origins) => {
  it('are created once, in the pods of their tenants', async () => {
    const [first] = origins();
    const at = (index: number): string => origins()[index % 2]!;
    const admin = (index: number, method: string, path: string, body?: object) =>
      ask(at(index), method, `/tricircle/v1.0${path}`, body);
    const pods: Record<string, string> = {};
    for (const region_name of ['RegionOne', 'RegionTwo'])
      pods[region_name] = (
        await admin(0, 'POST', '/pods', { pod: { region_name, az_name: 'az1' } })
      )[1]['pod'].pod_id as string;
    const quota = { quota_set: { instances: 11 } };
    for (const tenant of tenants) {
      const path = `/CentralRegion/compute/v2.1/os-quota-sets/${tenant}`;
      expect((await ask(first, 'PUT', path, quota))[0]).to.equal(200);
    }
    const { images } = (await ask(first, 'GET', '/CentralRegion/image/v2/images'))[1] as {
      images: { id: string }[];
    };
    const server = { name: 'race', imageRef: images[0]!.id, flavorRef: '1', networks: 'none' };
    const create = (index: number) =>
      ask(
        at(index),
        'POST',
        '/CentralRegion/compute/v2.1/servers',
        { server },
        tenants[index % tenants.length],
      );
    const twenty = () => Promise.all(Array.from({ length: 20 }, (_, index) => create(index)));
    const maintain = (index: number, is_under_maintenance: boolean) =>
      admin(index, 'PUT', `/pods/${pods['RegionOne']}`, { pod: { is_under_maintenance } });

    const before = await twenty();
    const [during] = await Promise.all([twenty(), maintain(1, true)]);
    for (const [status, body] of [...before, ...during])
      expect(status, JSON.stringify(body)).to.equal(202);

    const { pod_bindings: history } = (await admin(1, 'GET', '/bindings/history'))[1] as {
      pod_bindings: Fields[];
    };
    for (const tenant of tenants) {
      const mine = history.filter((one) => one['tenant_id'] === tenant);
      expect(
        mine.filter(({ is_binding: on }) => on as boolean),
        tenant,
      ).to.have.length(1);
      const { servers } = (
        await ask(first, 'GET', '/CentralRegion/compute/v2.1/servers', undefined, tenant)
      )[1] as {
        servers: Fields[];
      };
      expect(servers).to.have.length(10);
      const known = new Set(mine.map(({ pod_id: id }) => id as string));
      const found: string[] = [];
      for (const [region, id] of Object.entries(pods)) {
        const there = (
          await ask(first, 'GET', `/${region}/compute/v2.1/servers`, undefined, tenant)
        )[1]['servers'] as Fields[];
        if (there.length) expect(known.has(id), `${tenant} was bound to ${region}`).to.equal(true);
        found.push(...there.map((one) => one['id'] as string));
      }
      expect(found.toSorted()).to.deep.equal(servers.map((one) => one['id'] as string).toSorted());
      // The next server is in the other pod, whichever request was first.
      expect(
        (await ask(at(1), 'POST', '/CentralRegion/compute/v2.1/servers', { server }, tenant))[0],
      ).to.equal(202);
      const [now] = (await admin(0, 'GET', `/bindings?tenant_id=${tenant}&is_binding=true`))[1][
        'pod_bindings'
      ] as Fields[];
      expect(now!['pod_id']).to.equal(pods['RegionTwo']);
    }
  });
});
