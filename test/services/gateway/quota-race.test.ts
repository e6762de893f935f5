// Concurrent creates of a tenant in two pods, through two processes on one MySQL.
import { expect } from 'chai';
import { onTwoProcesses } from '../../support/processes.ts';
import type { Json } from './support.ts';

const flags = ['--regions', 'CentralRegion,RegionOne,RegionTwo', '--hosts', '1'];
const tag = { resource: 'CAD Modeling' };

onTwoProcesses('gateway: a quota over two pods and two processes', flags, (origins) => {
  /** Sends a request to one of the processes, as an administrator or as a tenant. */
  async function send(
    index: number,
    method: string,
    path: string,
    body?: object,
    token = 'admin',
  ): Promise<{ status: number; body: Json }> {
    const headers = {
      'x-auth-token': token,
      'x-roles': token === 'admin' ? 'admin' : 'member,reader',
      accept: 'application/json',
      'content-type': 'application/json',
      'x-openstack-nova-api-version': '2.90',
    };
    const url = `${origins()[index % 2]!}${path}`;
    const reply = await fetch(url, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await reply.text();
    return { status: reply.status, body: (text ? JSON.parse(text) : {}) as Json };
  }

  const nova = '/CentralRegion/compute/v2.1';
  const cinder = '/CentralRegion/volume/v3';
  const tenant = 'alice:acme';

  it('is never exceeded, and is used up', async () => {
    const pods = [
      { region_name: 'RegionOne', az_name: 'az1' },
      { region_name: 'RegionTwo', az_name: 'az1', resource_affinity_tag: tag },
    ];
    for (const pod of pods)
      expect((await send(0, 'POST', '/tricircle/v1.0/pods', { pod })).status).to.equal(200);
    const flavor = { name: 'cad', ram: 512, vcpus: 1, disk: 1, id: 'cad' };
    await send(0, 'POST', `${nova}/flavors`, { flavor });
    await send(0, 'POST', `${nova}/flavors/cad/os-extra_specs`, { extra_specs: tag });
    await send(0, 'POST', `${cinder}/types`, { volume_type: { name: 'cad', extra_specs: tag } });
    await send(0, 'PUT', `${nova}/os-quota-sets/acme`, { quota_set: { instances: 5 } });
    await send(0, 'PUT', `${cinder}/os-quota-sets/acme`, { quota_set: { gigabytes: 5 } });
    const { images } = (await send(0, 'GET', '/CentralRegion/image/v2/images')).body;
    const imageRef = (images as { id: string }[])[0]!.id;

    const boot = (index: number) =>
      send(
        index,
        'POST',
        `${nova}/servers`,
        {
          server: { name: 's', imageRef, flavorRef: index % 4 < 2 ? '1' : 'cad', networks: 'auto' },
        },
        tenant,
      );
    const createVolume = (index: number) => {
      const volume = { size: 1, ...(index % 4 < 2 ? {} : { volume_type: 'cad' }) };
      return send(index, 'POST', `${cinder}/volumes`, { volume }, tenant);
    };
    const twelve = Array.from({ length: 12 }, (_, index) => index);
    const [servers, volumes] = await Promise.all([
      Promise.all(twelve.map(boot)),
      Promise.all(twelve.map(createVolume)),
    ]);
    const statuses = (replies: readonly { status: number }[]): number[] =>
      replies.map(({ status }) => status).toSorted();
    const expected = (refusal: number): number[] =>
      [...Array<number>(5).fill(202), ...Array<number>(7).fill(refusal)].toSorted();
    expect(statuses(servers), JSON.stringify(servers)).to.deep.equal(expected(403));
    expect(statuses(volumes), JSON.stringify(volumes)).to.deep.equal(expected(413));
    const shown = await send(1, 'GET', `${nova}/limits`, undefined, tenant);
    expect(shown.body['limits'].absolute).to.include({ totalInstancesUsed: 5 });
  });
});
