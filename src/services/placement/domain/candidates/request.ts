// Reads the query of GET /allocation_candidates: its request groups, and the parameters for all
// groups.
import { badRequest } from '../../../../kernel/errors.ts';
import type { Version } from '../../../../kernel/microversion.ts';
import type { Query } from '../../../../kernel/query.ts';
import type { PlacementVersion } from '../../versions.ts';
import {
  parseInTree,
  parseMemberOf,
  parseResources,
  parseTraitList,
  parseTraits,
  splitTrimmed,
} from '../query-grammar.ts';
import type { CandidateRequest, RequestGroup, TraitRequest } from '../../model.ts';

type At = Version<PlacementVersion>;

/** Reads and validates a query, in the order of upstream's errors. @throws 400 */
export function readCandidateRequest(query: Query, version: At): CandidateRequest {
  // The first occurrence of these two parameters counts, but the contract validates the last one.
  const limit = query.first('limit');
  const policy = query.first('group_policy');
  if (limit !== undefined && !/^[1-9][0-9]*$/.test(limit))
    throw badRequest(`Invalid query string parameters: '${limit}' does not match '^[1-9][0-9]*$'`);
  if (policy !== undefined && policy !== 'none' && policy !== 'isolate') {
    throw badRequest(
      `Invalid query string parameters: '${policy}' is not one of ['none', 'isolate']`,
    );
  }
  const root = version.has('1.35') ? readRootTraits(query) : { required: [], forbidden: [] };
  const sameSubtree = version.has('1.36') ? readSubtrees(query) : [];
  const groups = readGroups(query, version);
  checkGroups(groups, sameSubtree, version);
  checkConflicts(groups, version);
  const suffixed = groups.filter(({ suffix }) => suffix !== '');
  if (suffixed.length > 1 && policy === undefined) {
    throw badRequest(
      'The "group_policy" parameter is required when specifying more than one "resources{N}" ' +
        'parameter.',
    );
  }
  return {
    groups,
    limit: limit === undefined ? undefined : Number(limit),
    isolate: policy === 'isolate',
    // Each required set of `root_required` is a single trait.
    rootRequired: root.required.flat(),
    rootForbidden: root.forbidden,
    sameSubtree,
  };
}

function readRootTraits(query: Query): TraitRequest {
  const values = query.all('root_required');
  if (!values.length) return { required: [], forbidden: [] };
  if (values.length > 1)
    throw badRequest("Query parameter 'root_required' may be specified only once.", {
      code: 'placement.query.duplicate_key',
    });
  const traits = parseTraitList(values[0]!, { allowForbidden: true, allowAnyOf: false });
  const both = [...new Set(contradictions(traits).flat())].sort();
  if (both.length) {
    throw badRequest(
      `Conflicting required and forbidden traits found in root_required: ${both.join(', ')}`,
      {
        code: 'placement.query.bad_value',
      },
    );
  }
  return traits;
}

function readSubtrees(query: Query): string[][] {
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

/** A group whose parameters are being read. */
type GroupDraft = { -readonly [K in keyof RequestGroup]: RequestGroup[K] };

function readGroups(query: Query, version: At): RequestGroup[] {
  const suffix = !version.has('1.25')
    ? ''
    : version.has('1.33')
      ? '([a-zA-Z0-9_-]{1,64})?'
      : '([1-9][0-9]*)?';
  const pattern = new RegExp(`^(resources|required|member_of|in_tree)${suffix}$`);
  const groups = new Map<string, GroupDraft>();
  for (const name of query.names()) {
    const match = pattern.exec(name);
    if (!match) continue;
    const key = match[2] ?? '';
    const group: GroupDraft = groups.get(key) ?? {
      suffix: key,
      resources: new Map(),
      traits: { required: [], forbidden: [] },
      aggregates: { required: [], forbidden: [] },
      inTree: undefined,
    };
    groups.set(key, group);
    readParameter(group, match[1]!, query.all(name), version);
  }
  return [...groups.values()];
}

function readParameter(
  group: GroupDraft,
  parameter: string,
  values: readonly string[],
  version: At,
): void {
  if (parameter === 'resources')
    for (const value of values) group.resources = parseResources(value);
  else if (parameter === 'required') group.traits = parseTraits(values, version);
  else if (parameter === 'member_of')
    group.aggregates = parseMemberOf(values, version, group.suffix);
  else for (const value of values) group.inTree = parseInTree(value);
}

const hasTraits = ({ traits }: RequestGroup): boolean =>
  traits.required.length + traits.forbidden.length > 0;
const hasAggregates = ({ aggregates }: RequestGroup): boolean =>
  aggregates.required.length + aggregates.forbidden.length > 0;

function checkGroups(
  groups: readonly RequestGroup[],
  sameSubtree: readonly (readonly string[])[],
  version: At,
): void {
  const empty = groups.filter(({ resources }) => !resources.size);
  if (!version.has('1.36')) return checkOldGroups(groups, empty);
  if (groups.every(({ resources }) => !resources.size)) {
    throw badRequest('There must be at least one resources or resources[$S] parameter.', {
      code: 'placement.query.missing_value',
    });
  }
  const inSubtree = new Set(sameSubtree.flat());
  const orphaned = empty
    .filter(({ suffix }) => !inSubtree.has(suffix))
    .map(({ suffix }) => `'${suffix}'`);
  if (orphaned.length) {
    throw badRequest(
      `Resourceless suffixed group request should be specified in \`same_subtree\` query ` +
        `param: bad group(s) - [${orphaned.join(', ')}].`,
      {
        code: 'placement.query.bad_value',
      },
    );
  }
  const known = groups.map(({ suffix }) => suffix).filter(Boolean);
  const unknown = [...inSubtree].filter((suffix) => !known.includes(suffix));
  if (unknown.length) {
    const list = (suffixes: readonly string[]): string =>
      `[${[...suffixes]
        .sort()
        .map((suffix) => `'${suffix}'`)
        .join(', ')}]`;
    throw badRequest(
      `Real suffixes should be specified in \`same_subtree\`: ${list(unknown)} not found in ` +
        `${list(known)}.`,
      {
        code: 'placement.query.bad_value',
      },
    );
  }
}

/** Checks groups before 1.36, when every group had to have resources. */
function checkOldGroups(groups: readonly RequestGroup[], empty: readonly RequestGroup[]): void {
  const listKeys = (prefix: string, orphaned: readonly RequestGroup[]): string =>
    orphaned
      .map(({ suffix }) => prefix + suffix)
      .sort()
      .join(', ');
  const traits = empty.filter(hasTraits);
  if (traits.length)
    throw badRequest(
      'All traits parameters must be associated with resources.  Found the following ' +
        `orphaned traits keys: ${listKeys('required', traits)}`,
    );
  const aggregates = empty.filter(hasAggregates);
  if (aggregates.length)
    throw badRequest(
      'All member_of parameters must be associated with resources. Found the following ' +
        `orphaned member_of keys: ${listKeys('member_of', aggregates)}`,
    );
  if (empty.length) throw badRequest('All request groups must specify resources.');
  if (!groups.length)
    throw badRequest('At least one request group (`resources` or `resources{$S}`) is required.');
}

/** Lists the required sets whose traits are all forbidden as well. */
function contradictions({ required, forbidden }: TraitRequest): string[][] {
  return required
    .filter((any) => any.every((trait) => forbidden.includes(trait)))
    .map((any) => [...any].sort());
}

function checkConflicts(groups: readonly RequestGroup[], version: At): void {
  if (!version.has('1.22')) return;
  const conflicts = groups.flatMap(({ suffix, traits }) =>
    contradictions(traits).map((any) => `required${suffix}: (${any.join(', ')})`),
  );
  if (!conflicts.length) return;
  throw badRequest(
    'Conflicting required and forbidden traits found in the following traits keys: ' +
      conflicts.sort().join(', '),
  );
}
