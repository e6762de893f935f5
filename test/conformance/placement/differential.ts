// Random requests for allocation candidates, asked of Cumulet and of the real Placement, which both
// hold the same random providers.
//
// usage: node --import tsx test/conformance/placement/differential.ts [--forests 100] [--requests
// 40] [--seed N] [--verbose]
//
// The real one is Debian's placement-api with uwsgi, from this system or from the folder that
// CUMULET_BENCH_DEBIAN names: see bench/README.md. It fails where an answer differs that `fault`
// below does not explain by a fault of upstream's.
import { parseArgs } from 'node:util';
import { clientFor, type Answer, type Client } from '../../../bench/client.ts';
import { startPlacementOn } from '../../../bench/placement/peers.ts';
import { ownCloud } from '../../support/cloud.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import {
  canonical,
  type ReferenceProvider,
  type ReferenceRequest,
} from '../../services/placement/reference-search.ts';
import {
  queryOf,
  randomForest,
  randomRequest,
} from '../../services/placement/random-candidates.ts';
import type { AddressInfo } from 'node:net';

const { values } = parseArgs({
  options: {
    forests: { type: 'string', default: '100' },
    requests: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
});

/** Makes the providers on a service that has none. */
async function plant(client: Client, forest: readonly ReferenceProvider[]): Promise<void> {
  for (const { uuid, parent, inventories, used, traits, aggregates } of forest) {
    const path = `/resource_providers/${uuid}`;
    await client.must({
      method: 'POST',
      path: '/resource_providers',
      body: { name: uuid, uuid, parent_provider_uuid: parent },
    });
    const stock = async (fields: object): Promise<void> => {
      const { generation } = (await client.must({ method: 'GET', path })) as { generation: number };
      await client.must({
        method: 'PUT',
        path: `${path}/inventories`,
        body: { resource_provider_generation: generation, inventories: fields },
      });
    };
    // What is used is claimed while there is plenty: it may be more than there is in the end.
    if (Object.keys(used).length) {
      await stock(
        Object.fromEntries(Object.keys(inventories).map((name) => [name, { total: 1000 }])),
      );
      const who = {
        project_id: 'p',
        user_id: 'u',
        consumer_generation: null,
        consumer_type: 'INSTANCE',
      };
      const body = { ...who, allocations: { [uuid]: { resources: used } } };
      await client.must({ method: 'PUT', path: `/allocations/${consumerOf(uuid)}`, body });
    }
    await stock(inventories);
    const { generation } = (await client.must({ method: 'GET', path })) as { generation: number };
    await client.must({
      method: 'PUT',
      path: `${path}/traits`,
      body: { traits, resource_provider_generation: generation },
    });
    await client.must({
      method: 'PUT',
      path: `${path}/aggregates`,
      body: aggregates,
      version: '1.18',
    });
  }
}

const consumerOf = (uuid: string): string => uuid.replace(/^0{8}/, 'cccccccc');

async function clear(client: Client, forest: readonly ReferenceProvider[]): Promise<void> {
  for (const { uuid } of forest)
    await client.ask({ method: 'DELETE', path: `/allocations/${consumerOf(uuid)}` });
  for (const { uuid } of forest.toReversed())
    await client.must({ method: 'DELETE', path: `/resource_providers/${uuid}` });
}

interface Body {
  readonly allocation_requests: {
    readonly allocations: unknown;
    readonly mappings?: Record<string, string[]>;
  }[];
  readonly provider_summaries: Record<string, { traits?: string[] }>;
}

/** An answer without what has no order: its candidates, and what their summaries say. */
function normal({ status, text }: Answer, minor: number): string[] {
  if (status !== 200)
    return [
      `${status} ${String((JSON.parse(text) as { errors: { detail: string }[] }).errors[0]!.detail)}`,
    ];
  const { allocation_requests: requests, provider_summaries: summaries } = JSON.parse(text) as Body;
  const candidates = requests.map(({ allocations, mappings = {} }) =>
    canonical({ allocations: amountsOf(allocations), mappings }, minor >= 34),
  );
  const shown = Object.entries(summaries).map(
    ([uuid, summary]) => `${uuid} ${sorted({ ...summary, traits: summary.traits?.toSorted() })}`,
  );
  return [...candidates.sort(), ...shown.sort()];
}

/** The same in all versions. */
function amountsOf(allocations: unknown): Record<string, Record<string, number>> {
  type Named = { resource_provider: { uuid: string }; resources: Record<string, number> };
  if (Array.isArray(allocations))
    return Object.fromEntries(
      (allocations as Named[]).map((one) => [one.resource_provider.uuid, one.resources]),
    );
  return Object.fromEntries(
    Object.entries(allocations as Record<string, Named>).map(([uuid, one]) => [
      uuid,
      one.resources,
    ]),
  );
}

/** JSON with the keys of all objects in order. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort())
      : inner,
  );

const sharing = 'MISC_SHARES_VIA_AGGREGATE';

/** The fault of upstream's that explains a difference, if one does. */
function fault(
  request: ReferenceRequest,
  forest: readonly ReferenceProvider[],
  real: Answer,
  lines: Lines,
): string | undefined {
  const shares = forest.filter(({ traits }) => traits.includes(sharing));
  const hasPlain = request.groups.some(({ suffix }) => suffix === '');
  if (real.status === 500 && hasPlain && shares.some(({ parent }) => parent !== null))
    return 'a sharing provider below a root serves the group without a suffix: upstream fails with 500';
  const named = request.groups.filter(({ suffix }) => suffix !== '').length;
  const classes = request.groups.flatMap(({ resources }) => Object.keys(resources));
  const none = !request.isolate && named > 1;
  if (!none && new Set(classes).size < classes.length)
    return 'several groups ask for a class and the policy is not none: upstream adds amounts to candidates that they are not of';
  if (hasPlain && named && isSurplusOfSharing(shares, lines))
    return 'only sharing providers serve the group without a suffix: upstream finds it at one root, and loses the others';
  return undefined;
}

/** What only one of the two answers has. */
interface Lines {
  readonly lacking: readonly string[];
  readonly surplus: readonly string[];
}

/**
 * Whether only candidates are more than upstream's whose group without a suffix is served by
 * sharing providers alone. Upstream takes two ways to serve a group for the same where they differ
 * only in the root (AllocationRequest.__eq__), and keeps one of them.
 */
function isSurplusOfSharing(
  shares: readonly ReferenceProvider[],
  { lacking, surplus }: Lines,
): boolean {
  const isSharing = (uuid: string): boolean => shares.some((one) => one.uuid === uuid);
  const candidates = surplus.filter((line) => !line.includes('{'));
  const served = candidates.map(
    (line) =>
      / \| =(\S+)/.exec(line)?.[1]?.split(',') ??
      line.split(' | ').map((part) => part.split(' ')[0]!),
  );
  const known = (uuids: readonly string[], line: string): boolean =>
    line.includes(' | =') ? uuids.every(isSharing) : uuids.some(isSharing);
  return (
    !lacking.length &&
    candidates.length > 0 &&
    candidates.every((line, index) => known(served[index]!, line))
  );
}

const debian = await startPlacementOn((folder) => `sqlite:///${folder}/placement.sqlite`, 1);
if (!debian)
  throw new Error(
    'The real Placement is not installed (placement-api, uwsgi): see bench/README.md.',
  );
const opened = (await ownCloud('sqlite', { auth: 'noauth2' }))!;
if (!opened.server.listening)
  await new Promise((resolve) => opened.server.once('listening', resolve));
const ours = clientFor(
  `http://127.0.0.1:${(opened.server.address() as AddressInfo).port}/placement`,
);
const real = clientFor(debian.origin, debian);
const explained = new Map<string, number>();
let [asked, alike, found, different] = [0, 0, 0, 0];
try {
  const first = Number(values.seed);
  for (let seed = first; seed < first + Number(values.forests); seed++) {
    const dice = new SeededRandom(seed);
    const forest = randomForest(dice);
    for (const client of [ours, real]) await plant(client, forest);
    for (let count = 0; count < Number(values.requests); count++)
      await compare(dice, forest, `seed ${seed}, request ${count}`);
    for (const client of [ours, real]) await clear(client, forest);
  }
} finally {
  ours.close();
  real.close();
  await opened.close();
  await debian.stop();
}
console.log(
  `${debian.version}: ${asked} requests, ${found} with candidates, ${alike} alike, ${different} different`,
);
for (const [reason, count] of explained) console.log(`${count} explained: ${reason}`);
if (different) process.exitCode = 1;

async function compare(
  dice: SeededRandom,
  forest: readonly ReferenceProvider[],
  where: string,
): Promise<void> {
  const request = randomRequest(dice, forest, false);
  const path = `/allocation_candidates?${queryOf(dice, request)}`;
  const version = `1.${request.minor}`;
  const [mine, theirs] = await Promise.all(
    [ours, real].map((client) => client.ask({ method: 'GET', path, version })),
  );
  const [got, wanted] = [normal(mine!, request.minor), normal(theirs!, request.minor)];
  asked++;
  if (theirs!.status === 200 && wanted.length) found++;
  if (got.join('\n') === wanted.join('\n')) return void alike++;
  const lacking = wanted.filter((line) => !got.includes(line));
  const surplus = got.filter((line) => !wanted.includes(line));
  const reason = fault(request, forest, theirs!, { lacking, surplus });
  if (reason !== undefined) return void explained.set(reason, (explained.get(reason) ?? 0) + 1);
  different++;
  console.log(
    `${where}: ${version} ${decodeURIComponent(path)}\n  real only: ${lacking.join('\n    ')}\n  ours only: ${surplus.join('\n    ')}`,
  );
  if (values.verbose) console.log(JSON.stringify(forest, undefined, 1));
}
