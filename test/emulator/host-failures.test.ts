// GET /_emulator/host-failures: whether servers and reservations find a place if hosts fail, and
// whether an evacuation then does the same.
import { expect } from 'chai';
import { machineNow } from '../../src/kernel/clock.ts';
import { onEachDatabase, type World } from '../support/cloud.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import {
  act,
  admin,
  liftQuotas,
  madeGroup,
  madeServer,
  newest,
  showServer,
  type Shown,
} from '../services/compute/servers/makers.ts';
import { ask } from '../services/compute/support.ts';
import * as reservation from '../services/reservation/support.ts';

interface Part {
  readonly noun: string;
  readonly moved: readonly { readonly id: string; readonly to: readonly string[] }[];
  readonly lost: readonly { readonly id: string; readonly name: string; readonly reason: string }[];
}

interface Failure {
  readonly hosts: readonly string[];
  readonly survives: boolean;
  readonly summary: string;
  readonly displaced: readonly Part[];
  readonly text: readonly string[];
}

async function rehearse(world: World, path: string): Promise<Failure> {
  const reply = await world.ask('', 'GET', `/_emulator/host-failures/${path}`);
  expect(reply.status, reply.text).to.equal(200);
  return (reply.body as { failure: Failure }).failure;
}

const partOf = ({ displaced }: Failure, noun: string): Part =>
  displaced.find((one) => one.noun === noun)!;

const hostOf = (server: Shown): string => String(server['OS-EXT-SRV-ATTR:host']);

/** Sets whether the service of a host is down. */
async function setDown(world: World, host: string, isDown: boolean): Promise<void> {
  const version = newest;
  const { body } = await ask(world, 'GET', `/os-services?host=${host}`, { ...admin, version });
  const [{ id }] = (body as { services: [{ id: string }] }).services;
  const change = { forced_down: isDown };
  await ask(world, 'PUT', `/os-services/${id}`, { ...admin, version, body: change }).expect(200);
}

onEachDatabase('host failures', { auth: 'noauth2', hosts: '3' }, (world) => {
  const onHost = (host: string, fields: object = {}, how = {}) =>
    madeServer(world, { host, ...fields }, { ...admin, ...how });

  it('finds a place for servers, and moves nothing', async () => {
    const server = await onHost('compute-1');
    const failure = await rehearse(world, 'host/compute-1');
    expect(failure.survives).to.equal(true);
    expect(failure.summary).to.equal('If host compute-1 fails, 1 server finds a place.');
    const [moved] = partOf(failure, 'servers').moved;
    expect(moved!.to[0]).to.be.oneOf(['compute-2', 'compute-3']);
    expect(hostOf(await showServer(world, server.id))).to.equal('compute-1');
    const empty = await rehearse(world, 'host/compute-2');
    expect(empty.summary).to.equal('If host compute-2 fails, nothing has to move.');
  });

  it('says which servers of a group find no place, and why', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    const how = { ...admin, hints: { group } };
    for (const name of ['one', 'two', 'three']) await madeServer(world, { name }, how);
    const failure = await rehearse(world, 'host/compute-2');
    expect(failure.survives).to.equal(false);
    const [lost, ...others] = partOf(failure, 'servers').lost;
    expect(others).to.have.length(0);
    expect(lost!.reason).to.include("The filter 'anti-affinity' rejects");
    expect(failure.text.join('\n')).to.include(`no place for servers: ${lost!.name}`);
  });

  it('refuses servers in a state that cannot be evacuated', async () => {
    const { id } = await onHost('compute-1');
    await act(world, id, { pause: null });
    const [lost] = partOf(await rehearse(world, 'host/compute-1'), 'servers').lost;
    expect(lost!.reason).to.equal(
      `Cannot 'evacuate' instance ${id} while it is in vm_state paused`,
    );
  });

  it('lets all hosts of a zone fail at once', async () => {
    await onHost('compute-1');
    const failure = await rehearse(world, 'zone/nova');
    expect(failure.hosts).to.deep.equal(['compute-1', 'compute-2', 'compute-3']);
    expect(partOf(failure, 'servers').lost).to.have.length(1);
    const { body } = await world.ask('', 'GET', '/_emulator/host-failures/aggregate').expect(200);
    expect(body).to.deep.equal({ domains: [] });
    await world.ask('', 'GET', '/_emulator/host-failures/zone/elsewhere').expect(404);
    await world.ask('', 'GET', '/_emulator/host-failures/rack').expect(404);
  });

  it('moves the reservations of future leases', async () => {
    const ids = await reservation.registerHosts(world);
    const two = reservation.hostReservation({ min: 2, max: 2 });
    const lease = await reservation.createLease(world, [two]);
    const [{ id }] = lease['reservations'] as [{ id: string }];
    const used = new Set((await reservation.allocations(world)).flatMap(hostsOf(id, ids)));
    const failure = await rehearse(world, `host/${[...used][0]}`);
    const [moved] = partOf(failure, 'reservations').moved;
    expect(moved!.to).to.have.length(2);
    expect(moved!.to).not.to.include([...used][0]);
    await reservation.createLease(world, [reservation.hostReservation()], { name: 'other' });
    const tight = await rehearse(world, `host/${[...used][0]}`);
    expect(tight.survives).to.equal(false);
    expect(partOf(tight, 'reservations').lost[0]!.name).to.equal('lease');
  });

  it('agrees with evacuations of the same servers, in random clouds', async () => {
    const seed = Number(process.env['CUMULET_TEST_SEED'] ?? machineNow() % 1_000_000);
    const random = new SeededRandom(seed);
    await liftQuotas(world);
    const groups = [await madeGroup(world, 'anti-affinity'), await madeGroup(world, 'affinity')];
    const hosts = new Map<string, string>();
    for (let count = 0; count < 14; count++) {
      const group = random.chance(0.4) ? random.pick(groups) : undefined;
      const hints = group === undefined ? {} : { group };
      const flavorRef = random.pick(['1', '4', '5']);
      const server = await madeServer(world, { flavorRef }, { ...admin, hints });
      if (server.status === 'ACTIVE') hosts.set(server.id, hostOf(server));
    }
    const host = random.pick([...hosts.values()]);
    const { moved, lost } = partOf(await rehearse(world, `host/${host}`), 'servers');
    await setDown(world, host, true);
    const expected: [string, string][] = [];
    for (const [id, own] of hosts) {
      if (own !== host) continue;
      await ask(world, 'POST', `/servers/${id}/action`, {
        ...admin,
        version: newest,
        body: { evacuate: {} },
      }).expect(200);
      const after = hostOf(await showServer(world, id));
      if (after !== host) expected.push([id, after]);
    }
    const label = `seed ${seed}, ${host}`;
    expect(moved.map(({ id, to }) => [id, to[0]])).to.deep.equal(expected, label);
    expect(moved.length + lost.length, label).to.equal(
      [...hosts.values()].filter((one) => one === host).length,
    );
  });
});

/** The hosts of a reservation in Reservation's list of allocations. `registered` has their ids. */
const hostsOf =
  (id: string, registered: readonly string[]) =>
  ({ resource_id: host, reservations }: reservation.Fields): string[] =>
    (reservations as { id: string }[]).some((one) => one.id === id)
      ? [`compute-${registered.indexOf(host as string) + 1}`]
      : [];
