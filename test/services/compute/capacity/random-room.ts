// Builds random rooms for servers over HTTP: hosts with nested and sharing providers, zones and
// disabled services, and a question how many servers fit.
import { expect } from 'chai';
import type { SeededRandom } from '../../../support/seeded-random.ts';
import type { World } from '../../../support/cloud.ts';
import { ask } from '../support.ts';
import { admin, newest } from '../servers/makers.ts';

const at = { ...admin, version: newest };
const aggregate = '11111111-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

/** What servers are to be like: the parameters of the capacity, without the flavor's id. */
export interface RandomQuestion {
  readonly flavor: string;
  readonly zone: string | undefined;
  readonly policy: string | undefined;
  readonly perHost: number | undefined;
}

const placement = async (
  world: World,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> => {
  const reply = await world.ask('placement', method, `/placement${path}`, {
    version: '1.39',
    body,
  });
  expect(reply.status, `${method} ${path}: ${reply.text}`).to.be.below(300);
  return reply.body as Record<string, unknown>;
};

/** Replaces the inventories of a provider. */
export async function setInventories(
  world: World,
  uuid: string,
  totals: Readonly<Record<string, number>>,
): Promise<void> {
  const path = `/resource_providers/${uuid}`;
  const { generation } = (await placement(world, 'GET', path)) as { generation: number };
  const inventories = Object.fromEntries(
    Object.entries(totals).map(([name, total]) => [name, { total, max_unit: total }]),
  );
  await placement(world, 'PUT', `${path}/inventories`, {
    resource_provider_generation: generation,
    inventories,
  });
}

async function changeLinks(
  world: World,
  uuid: string,
  links: { readonly aggregate?: boolean; readonly traits?: readonly string[] },
): Promise<void> {
  const path = `/resource_providers/${uuid}`;
  const { generation } = (await placement(world, 'GET', path)) as { generation: number };
  const guarded = { resource_provider_generation: generation };
  if (links.traits)
    await placement(world, 'PUT', `${path}/traits`, { ...guarded, traits: links.traits });
  if (!links.aggregate) return;
  const found = (await placement(world, 'GET', `${path}/aggregates`)) as {
    aggregates: string[];
    resource_provider_generation: number;
  };
  await placement(world, 'PUT', `${path}/aggregates`, {
    resource_provider_generation: found.resource_provider_generation,
    aggregates: [...found.aggregates, aggregate],
  });
}

/** Adds a provider that shares disk space with the hosts of an aggregate. */
export async function addSharedDisk(world: World, number: number, size: number): Promise<void> {
  const name = `shared-${number}`;
  const { uuid } = (await placement(world, 'POST', '/resource_providers', { name })) as {
    uuid: string;
  };
  await setInventories(world, uuid, { DISK_GB: size });
  await changeLinks(world, uuid, { traits: ['MISC_SHARES_VIA_AGGREGATE'], aggregate: true });
}

/** Adds the hosts of a random room. @param shared the number of providers that share disk space */
async function addHosts(world: World, random: SeededRandom, shared: number): Promise<void> {
  const isNested = random.chance(0.5);
  const hosts: string[] = [];
  for (let number = random.between(2, 5); number > 0; number--) {
    const name = `room-${number}`;
    hosts.push(name);
    const added = await world.ask('', 'POST', '/_emulator/hosts', { body: { name } });
    expect(added.status, added.text).to.equal(201);
    const { uuid } = added.body as { uuid: string };
    const hasDisk = !shared || random.chance(0.4);
    const hasCells = isNested && random.chance(0.7);
    await setInventories(world, uuid, {
      MEMORY_MB: random.between(1, 8) * 64,
      ...(hasCells ? {} : { VCPU: random.between(1, 6) }),
      ...(hasDisk ? { DISK_GB: random.between(1, 6) } : {}),
    });
    for (let cell = hasCells ? random.between(1, 3) : 0; cell > 0; cell--) {
      const child = (await placement(world, 'POST', '/resource_providers', {
        name: `${name}_cell_${cell}`,
        parent_provider_uuid: uuid,
      })) as { uuid: string };
      const pcpu = random.chance(0.5) ? { PCPU: random.between(1, 3) } : {};
      await setInventories(world, child.uuid, { VCPU: random.between(1, 3), ...pcpu });
    }
    if (shared && random.chance(0.8)) await changeLinks(world, uuid, { aggregate: true });
    if (random.chance(0.1)) await disable(world, name);
  }
  if (random.chance(0.4)) await addZone(world, random.some(hosts, 0.6));
}

async function disable(world: World, host: string): Promise<void> {
  const { services } = (await ask(world, 'GET', `/os-services?host=${host}`, at)).body as {
    services: { id: string }[];
  };
  const body = { status: 'disabled' };
  await ask(world, 'PUT', `/os-services/${services[0]!.id}`, { ...at, body }).expect(200);
}

async function addZone(world: World, hosts: readonly string[]): Promise<void> {
  const made = await ask(world, 'POST', '/os-aggregates', {
    ...at,
    body: { aggregate: { name: 'east', availability_zone: 'east' } },
  });
  const { id } = (made.body as { aggregate: { id: number } }).aggregate;
  for (const host of hosts)
    await ask(world, 'POST', `/os-aggregates/${id}/action`, {
      ...at,
      body: { add_host: { host } },
    }).expect(200);
}

/** Builds a random room, and draws a question about it. */
export async function randomRoom(world: World, random: SeededRandom): Promise<RandomQuestion> {
  const shared = random.chance(0.5) ? random.between(1, 2) : 0;
  for (let number = shared; number > 0; number--)
    await addSharedDisk(world, number, random.between(1, 8));
  await addHosts(world, random, shared);
  const disk = random.between(shared ? 1 : 0, 2);
  const fields = { vcpus: random.between(1, 2), ram: random.pick([64, 128]), disk };
  const body = { flavor: { name: 'random', ...fields } };
  const made = await ask(world, 'POST', '/flavors', { ...at, body });
  const { id } = (made.body as { flavor: { id: string } }).flavor;
  const specs = random.pick([
    {},
    {},
    { 'resources1:VCPU': '1' },
    { 'resources1:PCPU': '1', group_policy: 'none' },
    { 'resources1:VCPU': '1', 'resources2:VCPU': '1', group_policy: 'isolate' },
  ]);
  if (Object.keys(specs).length)
    await ask(world, 'POST', `/flavors/${id}/os-extra_specs`, {
      ...at,
      body: { extra_specs: specs },
    }).expect(200);
  const policy = random.pick([
    undefined,
    undefined,
    'affinity',
    'anti-affinity',
    'anti-affinity',
    'soft-affinity',
  ]);
  return {
    flavor: id,
    zone: random.chance(0.3) ? random.pick(['nova', 'east']) : undefined,
    policy,
    perHost: policy === 'anti-affinity' ? random.between(1, 3) : undefined,
  };
}
