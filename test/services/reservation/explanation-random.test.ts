// Compares explanations of refused leases with what Reservation accepts, in random clouds: with the
// stated changes a lease succeeds, without one of them it does not, and so for amounts and times.
import { expect } from 'chai';
import { machineNow } from '../../../src/kernel/clock.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import {
  ask,
  config,
  hostReservation,
  instanceReservation,
  leaseBody,
  postLease,
  registerHosts,
  updateSettings,
  type Fields,
} from './support.ts';

/** CUMULET_TEST_SEED=... repeats a run. */
const firstSeed = Number(process.env['CUMULET_TEST_SEED'] ?? machineNow() % 1_000_000);
const questions = 12;

const hourOf = (hour: number): string => `2026-11-20 ${hour}:00`;

onEachDatabase('reservation: explanations agree with leases', config, (world) => {
  /** Tries to create a lease, and ends it at once if that succeeds. */
  async function isPossible(body: Fields): Promise<boolean> {
    const { status, body: reply } = await postLease(world, { ...body, name: 'trial' });
    if (status !== 201) return false;
    await remove(((reply as Fields)['lease'] as Fields)['id'] as string);
    return true;
  }

  const remove = (id: string) => ask(world, 'DELETE', `/v1/leases/${id}`).expect(204);

  const why = async (name: string): Promise<Fields> => {
    const { body } = await world.ask('', 'GET', `/_emulator/explain/leases/${name}`).expect(200);
    return ((body as Fields)['explanation'] as Fields)['details'] as Fields;
  };

  const explainNow = async ({ reservations, start_date, end_date }: Fields): Promise<Fields> => {
    const body = { reservation: (reservations as Fields[])[0], start_date, end_date };
    const reply = await ask(world, 'POST', '/availability/explain', { body }).expect(200);
    return (reply.body as Fields)['explanation'] as Fields;
  };

  /** A request for hosts or instances at a random time. */
  function randomLease(random: SeededRandom): Fields {
    const start = random.between(13, 19);
    const amount = random.between(1, 5);
    const reservation = random.chance(0.4)
      ? hostReservation({
          min: Math.min(3, amount),
          max: 3,
          resource_properties: random.chance(0.2)
            ? '["!=", "$hypervisor_hostname", "compute-2"]'
            : '',
        })
      : instanceReservation({
          amount,
          vcpus: random.between(1, 12),
          affinity: random.pick([null, null, true, false]),
        });
    return leaseBody([reservation], {
      start_date: hourOf(start),
      end_date: hourOf(start + random.between(1, 3)),
    });
  }

  const withAmount = (lease: Fields, amount: number): Fields => ({
    ...lease,
    reservations: (lease['reservations'] as Fields[]).map((one) =>
      'min' in one ? { ...one, min: amount, max: amount } : { ...one, amount },
    ),
  });

  it(`for ${questions} refused leases, from seed ${firstSeed}`, async () => {
    const random = new SeededRandom(firstSeed);
    await registerHosts(world, 3);
    await updateSettings(world, { cleaning_time: random.pick([0, 60]) });
    const accepted: string[] = [];
    let refused = 0;
    for (let count = 0; refused < questions && count < 20 * questions; count++) {
      const label = `seed ${firstSeed}, lease ${count}`;
      const lease = { ...randomLease(random), name: `lease-${count}` };
      const now = await explainNow(lease);
      const { status, body } = await postLease(world, lease);
      expect(now['fits'], label).to.equal(status === 201);
      if (status === 201) {
        accepted.push(((body as Fields)['lease'] as Fields)['id'] as string);
        continue;
      }
      refused++;
      await check(lease, await why(lease.name), label);
      // Room for other leases.
      while (accepted.length > 5) await remove(accepted.shift()!);
    }
    expect(refused, 'refused leases').to.be.greaterThan(questions / 3);
  });

  async function check(
    lease: Fields,
    { largest, next, changes }: Fields,
    label: string,
  ): Promise<void> {
    if (largest)
      expect(
        await isPossible(withAmount(lease, largest as number)),
        `${label}: ${largest}`,
      ).to.equal(true);
    const more = withAmount(lease, (largest as number) + 1);
    expect(await isPossible(more), `${label}: more than ${largest}`).to.equal(false);
    if (next) {
      const { start_date, end_date } = next as { start_date: string; end_date: string };
      const span = { start_date: start_date.slice(0, 16), end_date: end_date.slice(0, 16) };
      const spanned = { ...lease, ...mapped(span) };
      expect(await isPossible(spanned), `${label}: ${JSON.stringify(next)}`).to.equal(true);
    }
    if (!changes) return;
    const ids = (changes as Fields[]).map((change) => change['lease_id'] as string);
    expect(await isPossibleWithout(ids, lease), `${label}: without ${ids.join()}`).to.equal(true);
    for (const id of ids) {
      const others = ids.filter((one) => one !== id);
      expect(await isPossibleWithout(others, lease), `${label}: with ${id}`).to.equal(false);
    }
  }

  /** Tries to create a lease after others have ended, and returns to the state before. */
  async function isPossibleWithout(ids: readonly string[], lease: Fields): Promise<boolean> {
    await world.ask('', 'PUT', '/_emulator/snapshots/before');
    for (const id of ids) await remove(id);
    const possible = await isPossible(lease);
    await world.ask('', 'POST', '/_emulator/snapshots/before/restore').expect(204);
    await world.ask('', 'DELETE', '/_emulator/snapshots/before').expect(204);
    return possible;
  }

  const mapped = (span: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(span).map(([name, date]) => [name, date.replace('T', ' ')]));
});
