// Sends random requests for allocation candidates to Cumulet and to the real Placement, after
// giving both the same random providers, and compares the replies.
//
// usage: node --import tsx test/conformance/placement/differential.ts --forests 100 --requests 40
import { parseArgs } from 'node:util';
import { clientFor, type Answer } from '../../../bench/client.ts';
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
import { amountsOf, clear, createForest, mixesUpAmounts } from './forests.ts';
import type { AddressInfo } from 'node:net';

const { values } = parseArgs({
  options: {
    forests: { type: 'string', default: '100' },
    requests: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
});

interface Body {
  readonly allocation_requests: {
    readonly allocations: unknown;
    readonly mappings?: Record<string, string[]>;
  }[];
  readonly provider_summaries: Record<string, { traits?: string[] }>;
}

type Errors = { readonly errors: readonly { readonly detail: string }[] };

/** Normalizes a reply: its candidates and provider summaries as sorted lines. */
function normal({ status, text }: Answer, minor: number): string[] {
  if (status !== 200)
    return [`${status} ${String((JSON.parse(text) as Errors).errors[0]!.detail)}`];
  const { allocation_requests: requests, provider_summaries: summaries } = JSON.parse(text) as Body;
  const candidates = requests.map(({ allocations, mappings = {} }) =>
    canonical({ allocations: amountsOf(allocations), mappings }, minor >= 34),
  );
  const shown = Object.entries(summaries).map(
    ([uuid, summary]) => `${uuid} ${sorted({ ...summary, traits: summary.traits?.toSorted() })}`,
  );
  return [...candidates.sort(), ...shown.sort()];
}

/** JSON with sorted keys. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort())
      : inner,
  );

const sharing = 'MISC_SHARES_VIA_AGGREGATE';

/** The known bug of upstream that explains a difference, if any. */
function knownBug(
  request: ReferenceRequest,
  forest: readonly ReferenceProvider[],
  real: Answer,
  lines: Lines,
): string | undefined {
  const shares = forest.filter(({ traits }) => traits.includes(sharing));
  const hasPlain = request.groups.some(({ suffix }) => suffix === '');
  if (real.status === 500 && hasPlain && shares.some(({ parent }) => parent !== null))
    return 'a nested sharing provider serves the unsuffixed group: upstream fails with 500';
  const named = request.groups.some(({ suffix }) => suffix !== '');
  if (mixesUpAmounts(request))
    return 'groups share a class, group_policy is not none: upstream mixes up amounts of candidates';
  if (hasPlain && named && isSurplusOfSharing(shares, lines))
    return 'only sharing providers serve the unsuffixed group: upstream keeps only one root';
  return undefined;
}

/** The lines that only one of the two replies has. */
interface Lines {
  readonly missing: readonly string[];
  readonly surplus: readonly string[];
}

/**
 * Whether the only surplus over upstream is candidates whose unsuffixed group is served by sharing
 * providers alone. Upstream considers two ways to serve a group equal if they differ only in the
 * root (AllocationRequest.__eq__), and keeps only one of them.
 */
function isSurplusOfSharing(
  shares: readonly ReferenceProvider[],
  { missing, surplus }: Lines,
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
    !missing.length &&
    candidates.length > 0 &&
    candidates.every((line, index) => known(served[index]!, line))
  );
}

const debian = await startPlacementOn((folder) => `sqlite:///${folder}/placement.sqlite`, 1);
if (!debian)
  throw new Error(
    'The real Placement (placement-api, uwsgi) is not installed. See bench/README.md.',
  );
const opened = (await ownCloud('sqlite', { auth: 'noauth2' }))!;
if (!opened.server.listening)
  await new Promise((resolve) => opened.server.once('listening', resolve));
const ours = clientFor(
  `http://127.0.0.1:${(opened.server.address() as AddressInfo).port}/placement`,
);
const real = clientFor(debian.origin, debian);
const explained = new Map<string, number>();
let [sent, equal, found, different] = [0, 0, 0, 0];
try {
  const first = Number(values.seed);
  for (let seed = first; seed < first + Number(values.forests); seed++) {
    const dice = new SeededRandom(seed);
    const forest = randomForest(dice);
    for (const client of [ours, real]) await createForest(client, forest);
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
  `${debian.version}: ${sent} requests, ${found} with candidates, ${equal} equal, ` +
    `${different} different`,
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
  const [got, expected] = [normal(mine!, request.minor), normal(theirs!, request.minor)];
  sent++;
  if (theirs!.status === 200 && expected.length) found++;
  if (got.join('\n') === expected.join('\n')) return void equal++;
  const missing = expected.filter((line) => !got.includes(line));
  const surplus = got.filter((line) => !expected.includes(line));
  const reason = knownBug(request, forest, theirs!, { missing, surplus });
  if (reason !== undefined) return void explained.set(reason, (explained.get(reason) ?? 0) + 1);
  different++;
  console.log(
    `${where}: ${version} ${decodeURIComponent(path)}\n` +
      `  real only: ${missing.join('\n    ')}\n  Cumulet only: ${surplus.join('\n    ')}`,
  );
  if (values.verbose) console.log(JSON.stringify(forest, undefined, 1));
}
