// Reading the query of GET /allocation_candidates: its groups, and what holds for all of them.
import { badRequest } from '../../../../kernel/fault.ts';
import type { Version } from '../../../../kernel/microversion.ts';
import type { Query } from '../../../../kernel/query.ts';
import type { PlacementVersion } from '../../versions.ts';
import {
  parseInTree, parseMemberOf, parseResources, parseTraitList, parseTraits, splitTrimmed, type AggregateDemand, type TraitDemand,
} from '../query-grammar.ts'; // prettier-ignore

type At = Version<PlacementVersion>;

/** What is asked of the providers of one group. A group with a suffix is served by one provider. */
export interface AskedGroup {
  readonly suffix: string;
  resources: ReadonlyMap<string, number>;
  traits: TraitDemand;
  aggregates: AggregateDemand;
  inTree: string | undefined;
}

/** A query, in names. */
export interface Asked {
  readonly groups: readonly AskedGroup[];
  readonly limit: number | undefined;
  readonly isolate: boolean;
  readonly root: TraitDemand;
  readonly sameSubtree: readonly (readonly string[])[];
}

/** Reads and checks a query, in upstream's order of refusals. @throws 400 */
export function readQuery(query: Query, at: At): Asked {
  // Of these two the first occurrence counts, although the contract looks at the last.
  const limit = query.first('limit');
  const policy = query.first('group_policy');
  if (limit !== undefined && !/^[1-9][0-9]*$/.test(limit))
    throw badRequest(`Invalid query string parameters: '${limit}' does not match '^[1-9][0-9]*$'`);
  if (policy !== undefined && policy !== 'none' && policy !== 'isolate') {
    throw badRequest(`Invalid query string parameters: '${policy}' is not one of ['none', 'isolate']`);
  }
  const root = at.has('1.35') ? rootDemand(query) : { required: [], forbidden: [] };
  const sameSubtree = at.has('1.36') ? subtrees(query) : [];
  const groups = readGroups(query, at);
  checkGroups(groups, sameSubtree, query, at);
  checkConflicts(groups, at);
  const named = groups.filter(({ suffix }) => suffix !== '');
  if (named.length > 1 && policy === undefined) {
    throw badRequest('The "group_policy" parameter is required when specifying more than one "resources{N}" parameter.');
  }
  return { groups, limit: limit === undefined ? undefined : Number(limit), isolate: policy === 'isolate', root, sameSubtree };
}

function rootDemand(query: Query): TraitDemand {
  const values = query.all('root_required');
  if (!values.length) return { required: [], forbidden: [] };
  if (values.length > 1)
    throw badRequest("Query parameter 'root_required' may be specified only once.", { code: 'placement.query.duplicate_key' });
  const demand = parseTraitList(values[0]!, { forbids: true, any: false });
  const both = [...new Set(contradictions(demand).flat())].sort();
  if (both.length) {
    throw badRequest(`Conflicting required and forbidden traits found in root_required: ${both.join(', ')}`, {
      code: 'placement.query.bad_value',
    });
  }
  return demand;
}

function subtrees(query: Query): string[][] {
  return query.all('same_subtree').map((value) => {
    const suffixes = splitTrimmed(value);
    if (suffixes.includes('')) {
      throw badRequest('Empty string (unsuffixed group) can not be specified in `same_subtree` ', {
        code: 'placement.query.bad_value',
      });
    }
    return [...new Set(suffixes)];
  });
}

function readGroups(query: Query, at: At): AskedGroup[] {
  const suffix = !at.has('1.25') ? '' : at.has('1.33') ? '([a-zA-Z0-9_-]{1,64})?' : '([1-9][0-9]*)?';
  const pattern = new RegExp(`^(resources|required|member_of|in_tree)${suffix}$`);
  const groups = new Map<string, AskedGroup>();
  for (const name of query.names()) {
    const match = pattern.exec(name);
    if (!match) continue;
    const key = match[2] ?? '';
    const group = groups.get(key) ?? {
      suffix: key,
      resources: new Map(),
      traits: { required: [], forbidden: [] },
      aggregates: { required: [], forbidden: [] },
      inTree: undefined,
    };
    groups.set(key, group);
    readInto(group, match[1]!, query.all(name), at);
  }
  return [...groups.values()];
}

function readInto(group: AskedGroup, what: string, values: readonly string[], at: At): void {
  if (what === 'resources') for (const value of values) group.resources = parseResources(value);
  else if (what === 'required') group.traits = parseTraits(values, at);
  else if (what === 'member_of') group.aggregates = parseMemberOf(values, at, group.suffix);
  else for (const value of values) group.inTree = parseInTree(value);
}

const asksTraits = ({ traits }: AskedGroup): boolean => traits.required.length + traits.forbidden.length > 0;
const asksAggregates = ({ aggregates }: AskedGroup): boolean => aggregates.required.length + aggregates.forbidden.length > 0;

function checkGroups(groups: readonly AskedGroup[], sameSubtree: readonly (readonly string[])[], query: Query, at: At): void {
  const bare = groups.filter(({ resources }) => !resources.size);
  if (!at.has('1.36')) return checkOldGroups(groups, bare, query);
  if (groups.every(({ resources }) => !resources.size)) {
    throw badRequest('There must be at least one resources or resources[$S] parameter.', {
      code: 'placement.query.missing_value',
    });
  }
  const covered = new Set(sameSubtree.flat());
  const loose = bare.filter(({ suffix }) => !covered.has(suffix)).map(({ suffix }) => `'${suffix}'`);
  if (loose.length) {
    throw badRequest(
      `Resourceless suffixed group request should be specified in \`same_subtree\` query param: bad group(s) - [${loose.join(', ')}].`,
      {
        code: 'placement.query.bad_value',
      },
    );
  }
  const known = groups.map(({ suffix }) => suffix).filter(Boolean);
  const unknown = [...covered].filter((suffix) => !known.includes(suffix));
  if (unknown.length) {
    const list = (suffixes: readonly string[]): string => `[${[...suffixes].sort().map((suffix) => `'${suffix}'`).join(', ')}]`; // prettier-ignore
    throw badRequest(`Real suffixes should be specified in \`same_subtree\`: ${list(unknown)} not found in ${list(known)}.`, {
      code: 'placement.query.bad_value',
    });
  }
}

function checkOldGroups(groups: readonly AskedGroup[], bare: readonly AskedGroup[], query: Query): void {
  const orphans = (prefix: string, some: readonly AskedGroup[]): string => some.map(({ suffix }) => prefix + suffix).sort().join(', '); // prettier-ignore
  const traits = bare.filter(asksTraits);
  if (traits.length)
    throw badRequest(
      `All traits parameters must be associated with resources.  Found the following orphaned traits keys: ${orphans('required', traits)}`,
    );
  const aggregates = bare.filter(asksAggregates);
  if (aggregates.length)
    throw badRequest(
      `All member_of parameters must be associated with resources. Found the following orphaned member_of keys: ${orphans('member_of', aggregates)}`,
    );
  if (bare.length) throw badRequest('All request groups must specify resources.');
  if (!groups.length)
    throw badRequest(`At least one request group (\`resources\` or \`resources{$S}\`) is required.`, { query: query.text });
}

/** The required sets of which every trait is forbidden. */
function contradictions({ required, forbidden }: TraitDemand): string[][] {
  return required.filter((any) => any.every((trait) => forbidden.includes(trait))).map((any) => [...any].sort());
}

function checkConflicts(groups: readonly AskedGroup[], at: At): void {
  if (!at.has('1.22')) return;
  const conflicts = groups.flatMap(({ suffix, traits }) =>
    contradictions(traits).map((any) => `required${suffix}: (${any.join(', ')})`),
  );
  if (!conflicts.length) return;
  throw badRequest(
    `Conflicting required and forbidden traits found in the following traits keys: ${conflicts.sort().join(', ')}`,
  );
}
