// Sends random requests for allocation candidates to Cumulet and to the real Placement, after
// giving both the same random providers, and compares the replies.
//
// usage: node --import tsx test/conformance/placement/differential.ts --forests 100 --requests 40
import { parseArgs } from 'node:util';
import { clientFor } from '../../../bench/client.ts';
import { machineNow } from '../../../src/kernel/clock.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { ownCloud } from '../../support/cloud.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { plant } from '../../services/placement/planted-forest.ts';
import {
  canonical,
  ReferenceForest,
  type ReferenceCandidate,
  type ReferenceProvider,
  type ReferenceRequest,
} from '../../services/placement/reference-search.ts';
import {
  queryOf,
  randomForest,
  randomRequest,
} from '../../services/placement/random-candidates.ts';
import { losesSharing, mayCrash, mixesUpAmounts } from './known-bugs.ts';
import { candidatesIn, RealPlacement, type Reply } from './real-placement.ts';
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
  readonly provider_summaries: Record<string, { traits?: string[] }>;
}

type Errors = { readonly errors: readonly { readonly detail: string }[] };

/** Normalizes a reply: its candidates and provider summaries as sorted lines. */
function normal({ status, text }: Reply, minor: number): string[] {
  if (status !== 200)
    return [`${status} ${String((JSON.parse(text) as Errors).errors[0]!.detail)}`];
  const { provider_summaries: summaries } = JSON.parse(text) as Body;
  const candidates = candidatesIn({ status, text }).map((one) => canonical(one, minor >= 34));
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

/** The known bug of upstream that explains a difference, if any. */
function knownBug(
  request: ReferenceRequest,
  forest: readonly ReferenceProvider[],
  real: Reply,
): string | undefined {
  if (real.status === 500 && mayCrash(forest, request))
    return 'a nested sharing provider serves the unsuffixed group: upstream fails with 500';
  if (mixesUpAmounts(request))
    return 'groups share a class, group_policy is not none: upstream mixes up amounts of candidates';
  const lines = candidatesIn(real).map((one) => canonical(one, request.minor >= 34));
  if (real.status === 200 && losesSharing(forest, request, new Set(lines)))
    return 'only sharing providers serve the unsuffixed group: upstream keeps only one root';
  return undefined;
}

/** Whether a reply has the candidates of the reference search. */
function isAsReference(
  request: ReferenceRequest,
  forest: readonly ReferenceProvider[],
  { status, text }: Reply,
): boolean {
  const render = (all: readonly ReferenceCandidate[]): string[] => [
    ...new Set(all.map((one) => canonical(one, request.minor >= 34)).sort()),
  ];
  const { candidates } = new ReferenceForest(forest).candidates(request);
  return (
    status === 200 &&
    render(candidatesIn({ status, text })).join('\n') === render(candidates).join('\n')
  );
}

const real = RealPlacement.start();
if (!real)
  throw new Error(
    'The real Placement (python3-placement) is not installed. See test/conformance/README.md.',
  );
const opened = (await ownCloud('sqlite', { auth: 'noauth2' }))!;
if (!opened.server.listening)
  await new Promise((resolve) => opened.server.once('listening', resolve));
const ours = clientFor(
  `http://127.0.0.1:${(opened.server.address() as AddressInfo).port}/placement`,
);
const explained = new Map<string, number>();
let [sent, equal, found, different] = [0, 0, 0, 0];
try {
  const first = Number(values.seed);
  for (let seed = first; seed < first + Number(values.forests); seed++) await checkForest(seed);
} finally {
  ours.close();
  await opened.close();
  await real.stop();
}
console.log(
  `${real.version}: ${sent} requests, ${found} with candidates, ${equal} equal, ` +
    `${different} different`,
);
for (const [reason, count] of explained) console.log(`${count} explained: ${reason}`);
if (different) process.exitCode = 1;

async function checkForest(seed: number): Promise<void> {
  const dice = new SeededRandom(seed);
  const forest = randomForest(dice);
  const asked = Array.from({ length: Number(values.requests) }, () => {
    const request = randomRequest(dice, forest, false);
    const path = `/allocation_candidates?${queryOf(dice, request)}`;
    return { request, path, version: `1.${request.minor}` };
  });
  const theirs = await real!.ask(forest, asked);
  await transact(opened.cloud.firstRegion.database.db, (db) => plant(db, forest, machineNow()));
  for (const [index, { request, path, version }] of asked.entries()) {
    const mine = await ours.ask({ method: 'GET', path, version });
    const where = `seed ${seed}, request ${index}: ${version} ${decodeURIComponent(path)}`;
    compare(forest, request, { mine, theirs: theirs[index]!, where });
  }
}

interface Compared {
  readonly mine: Reply;
  readonly theirs: Reply;
  readonly where: string;
}

function compare(
  forest: readonly ReferenceProvider[],
  request: ReferenceRequest,
  { mine, theirs, where }: Compared,
): void {
  const [got, expected] = [normal(mine, request.minor), normal(theirs, request.minor)];
  sent++;
  if (theirs.status === 200 && expected.length) found++;
  if (got.join('\n') === expected.join('\n')) return void equal++;
  const reason = isAsReference(request, forest, mine)
    ? knownBug(request, forest, theirs)
    : undefined;
  if (reason !== undefined) return void explained.set(reason, (explained.get(reason) ?? 0) + 1);
  different++;
  const missing = expected.filter((line) => !got.includes(line));
  const surplus = got.filter((line) => !expected.includes(line));
  console.log(
    `${where}\n  real only: ${missing.join('\n    ')}\n  Cumulet only: ${surplus.join('\n    ')}`,
  );
  if (values.verbose) console.log(JSON.stringify(forest, undefined, 1));
}
