// Concurrent clients through two clouds on one MySQL: each tenant gets one pod, and one active
// binding in each zone and group.
import { expect } from 'chai';
import type { Server } from 'node:http';
import { closeCloud, openCloud } from '../../../src/cloud.ts';
import { configOf } from '../../../src/config.ts';
import { serverFor } from '../../../src/kernel/http/server.ts';
import type { Cloud } from '../../../src/kernel/model.ts';
import { ApiError } from '../../../src/kernel/errors.ts';
import { dropDatabase } from '../../../src/kernel/db/open.ts';
import { databases } from '../../support/databases.ts';
import { choose, regions, type Fields } from './support.ts';

const clients = 20;

describe('pods chosen through two clouds on one MySQL', () => {
  let clouds: Cloud[] = [];
  let servers: Server[] = [];

  before(async function () {
    const database = await databases.fresh('mysql');
    if (!database) return this.skip();
    const config = configOf({ database, logLevel: 'silent', hosts: '1', auth: 'noauth2', regions });
    // Two clouds that share only the database, like two processes.
    for (let i = 0; i < 2; i++) clouds.push(await openCloud(config));
    servers = clouds.map((cloud) => serverFor({ cloud }).listen(0, '127.0.0.1'));
  });

  after(async () => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    for (const cloud of clouds) await closeCloud(cloud);
    const { database } = clouds[0]?.config ?? {};
    if (database) for (const part of ['', ...regions]) await dropDatabase(database, part);
    clouds = [];
  });

  async function ask(
    at: number,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: Fields }> {
    const address = servers[at % 2]!.address() as { port: number };
    const headers = {
      'x-auth-token': 'admin',
      accept: 'application/json',
      'content-type': 'application/json',
    };
    const response = await fetch(`http://127.0.0.1:${address.port}/tricircle/v1.0${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: (/^[{[]/.test(text) ? JSON.parse(text) : { text }) as Fields,
    };
  }

  const all = <T>(run: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: clients }, (_, index) => run(index)));
  const active = async (): Promise<Fields[]> =>
    (await ask(0, 'GET', '/bindings?is_binding=true')).body['pod_bindings'] as Fields[];
  const podFor = (tenant: string, index: number): Promise<string> =>
    choose(clouds[index % 2]!, { tenant, zone: index % 3 ? 'az1' : '' }).then(
      ({ id }) => id,
      (error: unknown) =>
        error instanceof ApiError ? String(error.status) : Promise.reject(error),
    );

  it('are one for each tenant, during changes of pods and bindings', async () => {
    const made = await all((index) =>
      ask(index, 'POST', '/pods', { pod: { region_name: index % 2 ? 'Top' : 'CentralRegion' } }),
    );
    expect(
      made.filter(({ status }) => status === 200),
      'one central pod',
    ).to.have.length(1);
    expect(
      new Set(
        made.filter(({ status }) => status !== 200).map(({ body }) => body['text'] as string),
      ),
    ).to.deep.equal(new Set(['Top region already exists']));
    const pods: string[] = [];
    for (const region_name of ['RegionOne', 'RegionTwo'])
      pods.push(
        (await ask(0, 'POST', '/pods', { pod: { region_name, az_name: 'az1' } })).body['pod']
          .pod_id as string,
      );

    // Concurrent requests for one tenant without a binding.
    expect(new Set(await all((index) => podFor('t', index)))).to.deep.equal(new Set([pods[0]]));
    expect(await active()).to.have.length(1);

    // The pod goes under maintenance meanwhile: each request gets the pod from before or after
    // that.
    const [chosen] = await Promise.all([
      all((index) => podFor('t', index)),
      ask(1, 'PUT', `/pods/${pods[0]}`, { pod: { is_under_maintenance: true } }),
    ]);
    for (const id of chosen) expect(pods).to.include(id);
    expect(new Set(await all((index) => podFor('t', index)))).to.deep.equal(new Set([pods[1]]));
    const [binding, ...others] = await active();
    expect(others).to.deep.equal([]);
    expect(binding).to.include({ pod_id: pods[1], start_reason: 'rebind:maintenance' });

    // Twenty tenants, with two concurrent clients each.
    await ask(0, 'PUT', `/pods/${pods[0]}`, { pod: { is_under_maintenance: false } });
    const ids = await all((index) =>
      Promise.all([podFor(`tenant-${index}`, index), podFor(`tenant-${index}`, index + 1)]),
    );
    expect(new Set(ids.flat())).to.deep.equal(new Set([pods[0]]));
    expect(await active()).to.have.length(clients + 1);

    // Admins rebind a tenant repeatedly and change the tag of a pod, while tenants send requests.
    await Promise.all([
      all((index) => podFor('t', index)),
      all((index) =>
        ask(index, 'POST', '/bindings', {
          pod_binding: { tenant_id: 't', pod_id: pods[index % 2] },
        }),
      ),
      ask(0, 'PUT', `/pods/${pods[0]}`, { pod: { resource_affinity_tag: { a: 'b' } } }),
    ]);
    const ofTenant = (await active()).filter(({ tenant_id: tenant }) => tenant === 't');
    const groups = ofTenant.map(({ resource_affinity_tag: tag, az_name: zone }) =>
      JSON.stringify([tag, zone]),
    );
    expect(new Set(groups).size).to.equal(groups.length);
    // The group of an active binding is that of its pod.
    const { pods: now } = (await ask(0, 'GET', '/pods')).body as { pods: Fields[] };
    for (const one of await active()) {
      const pod = now.find(({ pod_id: id }) => id === one['pod_id'])!;
      expect(one['resource_affinity_tag']).to.deep.equal(pod['resource_affinity_tag']);
    }
    const history = (await ask(0, 'GET', '/bindings/history?tenant_id=t')).body[
      'pod_bindings'
    ] as Fields[];
    for (const { is_binding: on, end_binding_time: end } of history)
      expect(end === null).to.equal(on);
  });

  it('are not lost to a pod that is deleted at the same time', async () => {
    const { body } = await ask(0, 'POST', '/pods', {
      pod: { region_name: 'CentralRegion2', az_name: 'az7' },
    });
    const id = (body['pod'] as Fields)['pod_id'] as string;
    const bind = (index: number) =>
      ask(index, 'POST', '/bindings', { pod_binding: { tenant_id: `late-${index}`, pod_id: id } });
    const [bound, deleted] = await Promise.all([all(bind), ask(1, 'DELETE', `/pods/${id}`)]);
    const count = bound.filter(({ status }) => status === 200).length;
    if (deleted.status === 200) expect(count).to.equal(0);
    else expect([deleted.status, count]).to.deep.equal([500, clients]);
  });
});
