// Known bugs of upstream in GET /allocation_candidates, each with the requests and replies that it
// concerns.
import {
  canonical,
  ReferenceForest,
  type Combination,
  type ReferenceGroup,
  type ReferenceProvider,
  type ReferenceRequest,
} from '../../services/placement/reference-search.ts';

type Forest = readonly ReferenceProvider[];

const sharing = 'MISC_SHARES_VIA_AGGREGATE';

/**
 * Whether upstream mixes up the amounts of candidates for a request: groups have a class in common,
 * and upstream adds the amounts of both in an object that several candidates have
 * (RequestWideSearchContext.copy_arr_if_needed copies it only for the policy `none`).
 */
export function mixesUpAmounts({ groups, isolate }: ReferenceRequest): boolean {
  const named = groups.filter(({ suffix }) => suffix !== '').length;
  const classes = groups.flatMap(({ resources }) => Object.keys(resources));
  return (isolate || named < 2) && new Set(classes).size < classes.length;
}

/**
 * Whether upstream may fail with 500: a sharing provider that has a parent can serve the unsuffixed
 * group of another tree. Upstream does not load its own tree.
 */
export function mayCrash(forest: Forest, { groups }: ReferenceRequest): boolean {
  const plain = groups.find(({ suffix }) => suffix === '');
  const search = new ReferenceForest(forest);
  return (
    plain !== undefined &&
    forest.some(
      (provider) =>
        provider.parent !== null &&
        provider.traits.includes(sharing) &&
        Object.entries(plain.resources).some(([name, amount]) =>
          search.fits(provider, name, amount),
        ) &&
        forest.some(
          (other) =>
            search.rootOf(other) !== search.rootOf(provider) &&
            other.aggregates.some((uuid) => provider.aggregates.includes(uuid)),
        ),
    )
  );
}

/**
 * Whether a reply of upstream lacks some candidates because of one bug, and no others. If sharing
 * providers alone serve the unsuffixed group, the same providers can serve it for several roots.
 * Upstream takes these for equal (AllocationRequest.__eq__), keeps one of the roots, and combines
 * the other groups with that one only.
 * @param listed the candidates of the reply, as `canonical` renders them
 */
export function losesSharing(
  forest: Forest,
  request: ReferenceRequest,
  listed: ReadonlySet<string>,
): boolean {
  const plain = request.groups.find(({ suffix }) => suffix === '');
  if (!plain) return false;
  const explained = new Set<string>();
  for (const byRoot of candidatesByUse(forest, request, plain).values()) {
    const kept = [...byRoot.values()].filter((lines) => lines.every((one) => listed.has(one)));
    if (!kept.length) return false;
    for (const line of kept.flat()) explained.add(line);
  }
  return [...listed].every((line) => explained.has(line));
}

/** The candidates by the use of providers for the unsuffixed group, and then by root. */
function candidatesByUse(
  forest: Forest,
  request: ReferenceRequest,
  plain: ReferenceGroup,
): Map<string, Map<string, string[]>> {
  const search = new ReferenceForest(forest);
  const found = new Map<string, Map<string, string[]>>();
  const linesFor = ({ root, choices }: Combination): string[] => {
    const { parts } = choices.find(({ suffix }) => suffix === '')!;
    const use = parts.map(({ rp, rc }) => `${rc} ${rp.uuid}`).join();
    const byRoot = found.get(use) ?? new Map<string, string[]>();
    const lines = byRoot.get(root) ?? [];
    found.set(use, byRoot.set(root, lines));
    return lines;
  };
  // Upstream may keep a root in which nothing serves the other groups.
  for (const use of search.combinations({ ...request, groups: [plain] })) linesFor(use);
  for (const combination of search.combinations(request)) {
    const candidate = search.candidateOf(combination.choices, request);
    if (candidate) linesFor(combination).push(canonical(candidate, request.minor >= 34));
  }
  return found;
}
