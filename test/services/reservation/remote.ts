// Requests to emulators in other processes, and checks of their state.
import { expect } from 'chai';
import type { Fields } from './support.ts';

export interface Answer {
  readonly status: number;
  readonly body: Fields;
}

export async function askAt(
  origin: string,
  method: string,
  path: string,
  body?: object,
  version?: string,
): Promise<Answer> {
  const headers = {
    'x-auth-token': 'admin',
    ...(body ? { 'content-type': 'application/json' } : {}),
    ...(version === undefined ? {} : { 'openstack-api-version': version }),
  };
  const response = await fetch(`${origin}${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : {}) as Fields };
}

export async function mustAt(
  origin: string,
  method: string,
  path: string,
  body?: object,
  version?: string,
): Promise<Fields> {
  const answer = await askAt(origin, method, path, body, version);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.be.below(300);
  return answer.body;
}

export const setClockAt = (origin: string, now: string): Promise<Answer> =>
  askAt(origin, 'PUT', '/_emulator/clock', { now: `${now.replace(' ', 'T')}:00Z`, frozen: true });

const placement = (origin: string, path: string): Promise<Fields> =>
  mustAt(origin, 'GET', `/placement${path}`, undefined, 'placement 1.29');

/** The slots of each host in Placement, by host and class. */
export async function slotsAt(origin: string): Promise<Record<string, Record<string, number>>> {
  const { resource_providers: providers } = await placement(origin, '/resource_providers');
  const slots: Record<string, Record<string, number>> = {};
  for (const { uuid, name } of (providers as Fields[]).filter((one) =>
    (one['name'] as string).startsWith('blazar_'),
  )) {
    const { inventories } = await placement(origin, `/resource_providers/${uuid}/inventories`);
    slots[name as string] = Object.fromEntries(
      Object.entries(inventories as Record<string, Fields>).map(([of, one]) => [
        of,
        one['total'] as number,
      ]),
    );
  }
  return slots;
}

/** Expects that nothing of leases is left in Placement and Compute, and that all hosts are free. */
export async function expectNothingLeft(origin: string, hosts: readonly string[]): Promise<void> {
  const { resource_classes: classes } = await placement(origin, '/resource_classes');
  expect(
    (classes as Fields[])
      .map(({ name }) => name as string)
      .filter((name) => name.startsWith('CUSTOM_')),
  ).to.deep.equal([]);
  expect(await slotsAt(origin)).to.deep.equal(
    Object.fromEntries(hosts.map((host) => [`blazar_${host}`, {}])),
  );
  const { aggregates } = await mustAt(origin, 'GET', '/compute/v2.1/os-aggregates');
  expect(
    (aggregates as Fields[]).map(({ name, hosts: own }) => [name, (own as string[]).toSorted()]),
  ).to.deep.equal([['freepool', hosts]]);
  const { flavors } = await mustAt(origin, 'GET', '/compute/v2.1/flavors?is_public=False');
  expect(flavors).to.deep.equal([]);
  const { server_groups: groups } = await mustAt(
    origin,
    'GET',
    '/compute/v2.1/os-server-groups?all_projects=1',
  );
  expect(groups).to.deep.equal([]);
  const { allocations } = await mustAt(origin, 'GET', '/reservation/v1/os-hosts/allocations');
  expect(
    (allocations as Fields[]).flatMap(({ reservations }) => reservations as unknown[]),
  ).to.deep.equal([]);
}
