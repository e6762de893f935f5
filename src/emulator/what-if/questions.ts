// Asks questions of a cloud, or of its copy.
import { ApiError } from '../../kernel/errors.ts';
import type { FailureKind } from '../host-failures/model.ts';
import type { Json, RegionClient } from '../worlds/client.ts';
import { of } from './changes.ts';
import type { Answer, Question } from './model.ts';

/** How many flavors are asked about by default. */
const maxFlavors = 20;

/** The questions of a request without any: how many servers of each flavor fit. */
export async function defaultQuestions(region: RegionClient): Promise<Question[]> {
  const flavors = await region.listOf('flavor');
  return flavors
    .slice(0, maxFlavors)
    .map(({ name }) => ({ servers: { flavor: String(name) } }) satisfies Question);
}

/** What a question is called in the report. */
export function nameOf({ servers, nodes, leases, candidates, ...more }: Question): string {
  if (servers) {
    const { flavor, ...others } = servers;
    return ['servers of', flavor, ...pairsOf(others)].join(' ');
  }
  if (nodes) return `nodes of ${nodes['profile']}`;
  if (leases) return ['leases of', ...pairsOf(leases)].join(' ');
  if (candidates !== undefined) return `candidates ${candidates}`;
  return `${more.n_plus_1 ?? 'host'}s that may fail`;
}

const pairsOf = (fields: object): string[] =>
  Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);

/** Answers a question. A refusal is part of the answer. */
export async function answer(region: RegionClient, question: Question): Promise<Answer> {
  try {
    if (question.n_plus_1 !== undefined) return await survivors(region, question.n_plus_1);
    return await capacity(region, question);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return { count: null, text: error.message };
  }
}

async function capacity(
  { client, name: region }: RegionClient,
  { candidates, ...others }: Question,
): Promise<Answer> {
  const [kind, fields] = Object.entries(others)[0] ?? ['candidates', { query: candidates! }];
  const path = `/_emulator/capacity/${kind}`;
  const query = new URLSearchParams({
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])),
    region,
  });
  const { capacity: counted } = (await client.ask('GET', `${path}?${query.toString()}`)) as {
    capacity: { count: number; reasons: readonly { reason: string }[] };
  };
  return { count: counted.count, text: counted.reasons[0]?.reason ?? 'there are no hosts' };
}

/** Counts the hosts, zones or aggregates of which each may fail. */
async function survivors(region: RegionClient, kind: FailureKind): Promise<Answer> {
  const path = `/_emulator/host-failures/${kind}`;
  const { domains } = (await region.client.ask('GET', path + of(region))) as {
    domains: readonly { readonly name: string }[];
  };
  const failing: string[] = [];
  for (const { name } of domains) {
    const at = `${path}/${encodeURIComponent(name)}${of(region)}`;
    const { failure } = (await region.client.ask('GET', at)) as { failure: Json };
    if (failure['survives'] !== true) failing.push(String(failure['summary']));
  }
  const count = domains.length - failing.length;
  return { count, text: failing[0] ?? `each of ${domains.length} may fail` };
}
