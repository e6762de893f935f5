// cumulet capture: the leases of a captured cloud go on, and end as they would have.
import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator, type Emulator } from '../support/processes.ts';
import { captureInto, signIn, writeClouds, type Json } from './captures.ts';

describe('cumulet capture of leases', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-capture-'));
  const lists = ['os-hosts', 'os-hosts/allocations', 'floatingips', 'leases'].map(
    (path) => `/reservation/v1/${path}`,
  );
  const flags = ['--database', 'memory:'];
  let original: Emulator;
  let ask: Awaited<ReturnType<typeof signIn>>;
  let now: number;

  /** A date that is some days from now, as Blazar reads it. */
  const inDays = (days: number): string =>
    new Date(now + days * 86_400_000).toISOString().slice(0, 16).replace('T', ' ');

  before(async () => {
    original = await startEmulator([...flags, '--hosts', '4']);
    writeClouds(folder, original.origin);
    ask = await signIn(original.origin);
    now = Date.parse((await ask('GET', '/_emulator/clock')).now as string);
    for (const name of ['compute-1', 'compute-2', 'compute-3'])
      await ask('POST', '/reservation/v1/os-hosts', { name, rack: 'r7' });
    await lease('whole', 'now', { resource_type: 'physical:host', min: 1, max: 1 });
    const sizes = { vcpus: 1, memory_mb: 512, disk_gb: 1, affinity: null };
    await lease('part', 'now', { resource_type: 'virtual:instance', amount: 2, ...sizes });
    const flavor = { resource_type: 'flavor:instance', flavor_id: '1', affinity: null };
    await lease('later', inDays(1), { ...flavor, amount: 3 });
    await addFloatingIps();
    await ask('GET', '/reservation/v1/leases');
  });
  after(async () => {
    await original.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Registers floating IPs; one of the three is leased now, one later, and one by its address. */
  async function addFloatingIps(): Promise<void> {
    const { network } = await ask('POST', '/network/v2.0/networks', {
      network: { name: 'outside', 'router:external': true },
    });
    const pools = [{ start: '10.9.0.2', end: '10.9.0.9' }];
    const subnet = { network_id: network.id, cidr: '10.9.0.0/24', ip_version: 4 };
    await ask('POST', '/network/v2.0/subnets', { subnet: { ...subnet, allocation_pools: pools } });
    for (const address of ['10.9.0.20', '10.9.0.21', '10.9.0.22'])
      await ask('POST', '/reservation/v1/floatingips', {
        floating_network_id: network.id,
        floating_ip_address: address,
      });
    const one = { resource_type: 'virtual:floatingip', network_id: network.id, amount: 1 };
    await lease('address', 'now', { ...one, required_floatingips: ['10.9.0.22'] });
    await lease('any address', 'now', { ...one, required_floatingips: [] });
    await lease('later address', inDays(1), { ...one, required_floatingips: [] });
  }

  const lease = (name: string, start: string, reservation: object): Promise<Json> =>
    ask('POST', '/reservation/v1/leases', {
      name,
      start_date: start,
      end_date: inDays(2),
      reservations: [{ hypervisor_properties: '', resource_properties: '', ...reservation }],
      events: [],
    });

  /** Starts the captured cloud, and lets its leases end. */
  async function copied(use: (askCopy: typeof ask) => Promise<void>): Promise<void> {
    const copy = await startEmulator([...flags, '--seed', join(folder, 'mine.ndjson')]);
    try {
      const askCopy = await signIn(copy.origin);
      await use(askCopy);
      const { audit } = await askCopy('GET', '/_emulator/audit');
      expect(audit.inconsistencies).to.deep.equal([]);
      await askCopy('POST', '/_emulator/clock/advance', { days: 3 });
      const askLater = await signIn(copy.origin);
      const { leases } = await askLater('GET', '/reservation/v1/leases');
      expect(leases.map(({ status }: Json) => status)).to.deep.equal(
        Array.from({ length: 6 }, () => 'TERMINATED'),
      );
      const { floatingips } = await askLater('GET', '/network/v2.0/floatingips');
      expect(floatingips).to.deep.equal([]);
      const { aggregates } = await askLater('GET', '/compute/v2.1/os-aggregates');
      expect(aggregates.map((one: Json) => [one.name, one.hosts.length])).to.deep.equal([
        ['freepool', 3],
      ]);
      const { resource_classes: classes } = await askLater('GET', '/placement/resource_classes');
      const names = classes.map(({ name }: Json) => name);
      expect(names.filter((name: string) => name.includes('RESERVATION'))).to.deep.equal([]);
    } finally {
      await copy.stop();
    }
  }

  it('keeps hosts and leases, which go on', async () => {
    const { code, out, err } = await captureInto(folder, 'mine');
    expect(code, err).to.equal(0);
    expect(out).to.include('3 reservable hosts, 3 reservable floating IPs, 6 leases');
    await copied(async (askCopy) => {
      for (const path of lists) {
        const [own, other] = [await ask('GET', path), await askCopy('GET', path)];
        expect(entries(other), path).to.have.deep.members(entries(own));
      }
    });
  });

  it('keeps them with --anonymize, without names', async () => {
    const { code, err } = await captureInto(folder, 'mine', ['--anonymize']);
    expect(code, err).to.equal(0);
    const file = readFileSync(join(folder, 'mine.ndjson'), 'utf8');
    const { leases } = await ask('GET', '/reservation/v1/leases');
    const ids = leases.flatMap(({ id, reservations: [one] }: Json) => [id, one.id]);
    for (const secret of [...ids, 'blazar_compute', '"whole"', '"r7"'])
      expect(file.includes(secret), secret).to.equal(false);
    await copied(async (askCopy) => {
      const { allocations } = await askCopy('GET', '/reservation/v1/os-hosts/allocations');
      const { leases } = await askCopy('GET', '/reservation/v1/leases');
      const [required] = leases.flatMap(
        ({ reservations: [one] }: Json) => one.required_floatingips ?? [],
      );
      expect(required).to.match(/^10\.\d+\.0\.22$/);
      const slots = allocations.map(({ reservations }: Json) => reservations.length);
      expect(slots.toSorted()).to.deep.equal([1, 2, 3]);
    });
  });

  /** The entries of a list without the numbers of aggregates, trusts and times of rows. */
  const entries = (reply: Json): unknown[] =>
    JSON.parse(
      JSON.stringify(Object.values(reply)[0], (key, value: unknown) =>
        ['aggregate_id', 'trust_id', 'updated_at', 'created_at'].includes(key) ? undefined : value,
      ),
    ) as unknown[];
});
