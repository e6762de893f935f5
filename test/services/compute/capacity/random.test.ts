// Compares the counted capacity with the servers that fit: for random rooms with groups, zones,
// nested and sharing providers, it creates servers until one has no valid host.
import { expect } from 'chai';
import { machineNow } from '../../../../src/kernel/clock.ts';
import { onDatabase, type World } from '../../../support/cloud.ts';
import { SeededRandom } from '../../../support/seeded-random.ts';
import { admin, liftQuotas, madeGroup, madeServer, spread } from '../servers/makers.ts';
import { randomRoom, type RandomQuestion } from './random-room.ts';

/** CUMULET_TEST_SEED=... repeats a run. */
const firstSeed = Number(process.env['CUMULET_TEST_SEED'] ?? machineNow() % 1_000_000);
const rooms = Number(process.env['CUMULET_TEST_ROOMS'] ?? 8);

/** The reply of the capacity, or its refusal. */
interface Counted {
  readonly count: number;
  readonly hosts: readonly { readonly name: string; readonly count: number }[];
}

async function capacityOf(
  world: World,
  { flavor, zone, policy, perHost }: RandomQuestion,
): Promise<Counted | undefined> {
  const query = new URLSearchParams({
    flavor,
    ...(zone === undefined ? {} : { zone }),
    ...(policy === undefined ? {} : { group_policy: policy }),
    ...(perHost === undefined ? {} : { max_server_per_host: String(perHost) }),
  });
  const reply = await world.ask('', 'GET', `/_emulator/capacity/servers?${query.toString()}`);
  if (reply.status === 400 && reply.text.includes('no availability zone')) return undefined;
  expect(reply.status, reply.text).to.equal(200);
  return (reply.body as { capacity: Counted }).capacity;
}

/** Creates servers until one has no valid host. @returns how many are on each host */
async function createAll(
  world: World,
  { flavor, zone, policy, perHost }: RandomQuestion,
): Promise<Record<string, number>> {
  const rules = perHost === undefined ? undefined : { max_server_per_host: perHost };
  const hints = policy === undefined ? {} : { group: await madeGroup(world, policy, rules) };
  const fields = { flavorRef: flavor, ...(zone === undefined ? {} : { availability_zone: zone }) };
  for (;;) {
    const server = await madeServer(world, fields, { ...admin, hints });
    if (server.status === 'ACTIVE') continue;
    expect(server.fault?.message).to.include('No valid host');
    const { null: failed, ...placed } = await spread(world);
    expect(failed).to.equal(1);
    return placed;
  }
}

const config = { auth: 'noauth2', hosts: '0' } as const;

onDatabase('sqlite', 'compute: counted capacity is what fits', config, (world) => {
  for (let seed = firstSeed; seed < firstSeed + rooms; seed++)
    it(`in the room of seed ${seed}`, async () => {
      await liftQuotas(world);
      const question = await randomRoom(world, new SeededRandom(seed));
      const counted = await capacityOf(world, question);
      if (!counted) return;
      const expected = Object.fromEntries(
        counted.hosts.filter(({ count }) => count).map(({ name, count }) => [name, count]),
      );
      expect(await createAll(world, question), JSON.stringify(question)).to.deep.equal(expected);
      const after = await capacityOf(world, { ...question, policy: undefined, perHost: undefined });
      if (question.policy === undefined) expect(after?.count).to.equal(0);
    });
});
