// The request spec, which describes what a server requires of its host, and the query for
// allocation candidates that follows from it. Upstream: objects/request_spec.py.
import type { CandidateRequest, RequestGroup } from '../../clients/placement.ts';
import { isReserved } from '../flavors.ts';
import { disabledTrait, reservableTrait } from '../hosts/hosts.ts';
import { groupsOf, subtreesOf, type PortRequests } from '../port-resources.ts';
import type { GroupRule, ServerFlavor } from '../../model.ts';
import type { Multipliers } from './multipliers.ts';

/** What a server requires of its host. */
export interface RequestSpec {
  readonly server: string;
  readonly serverName: string;
  readonly projectId: string;
  readonly userId: string;
  readonly flavor: ServerFlavor;
  /** Whether the root disk is on a volume, and so uses no disk space of the host. */
  readonly onVolume: boolean;
  readonly imageProperties: Readonly<Record<string, string>>;
  readonly zone: string | null;
  /** The only host or node that may be selected; null allows any. */
  readonly host: string | null;
  readonly node: string | null;
  /** Whether the host is forced. If so, the filters are skipped. */
  readonly forced: boolean;
  readonly ignoredHosts: readonly string[];
  readonly group: GroupRule | undefined;
  /** The servers that the hints `same_host` and `different_host` name. */
  readonly sameHost: readonly string[];
  readonly differentHost: readonly string[];
  /** The reservations of hosts that the hint `reservation` names. */
  readonly reservations: readonly string[];
  /** The host that the server is on. Anti-affinity never rejects it. */
  readonly currentHost: string | null;
  /** By requested network: the aggregates of its segments, of which the host must be in one. */
  readonly routedAggregates: readonly (readonly string[])[];
  /** What the ports of the server request of Placement. */
  readonly portRequests: PortRequests;
  /** The multipliers of the weighers in the settings. */
  readonly multipliers: Multipliers;
}

/** How many candidates Placement lists at most. Upstream: `max_placement_results`. */
export const candidateLimit = 1000;

interface Draft {
  readonly resources: Map<string, number>;
  readonly required: string[];
  readonly forbidden: string[];
}

/**
 * The query to Placement: the sizes of the flavor, which its extra specs may override. Upstream:
 * scheduler/utils.py ResourceRequest.
 * @param tree the only provider to search
 * @param memberOf aggregates, of which the providers must be in one
 */
export function candidateRequestOf(
  spec: RequestSpec,
  tree?: string,
  memberOf?: readonly string[],
): CandidateRequest {
  const { flavor } = spec;
  const aggregates = [...spec.routedAggregates, ...(memberOf ? [memberOf] : [])];
  const drafts = new Map<string, Draft>();
  const draft = (suffix: string): Draft => {
    const found = drafts.get(suffix) ?? {
      resources: new Map<string, number>(),
      required: [],
      forbidden: [],
    };
    drafts.set(suffix, found);
    return found;
  };
  const { resources } = draft('');
  resources.set('VCPU', flavor.vcpus).set('MEMORY_MB', flavor.ram).set('DISK_GB', diskOf(spec));
  for (const [key, value] of Object.entries(flavor.extraSpecs)) addSpec(draft, key, value);
  for (const [key, value] of Object.entries(spec.imageProperties))
    if (key.startsWith('trait:')) addSpec(draft, key, value);
  // A server for reserved resources is placed on a reservable host.
  const isOrdinary = !spec.reservations.length && !isReserved(flavor);
  const groups = [...drafts]
    .map(([suffix, group]) =>
      suffix === '' ? groupOf(suffix, group, tree, aggregates) : groupOf(suffix, group),
    )
    .filter((group) => group.resources.size > 0);
  return {
    groups: [...groups, ...groupsOf(spec.portRequests)],
    isolate: flavor.extraSpecs['group_policy'] === 'isolate',
    rootForbidden: [disabledTrait],
    rootForbiddenIfKnown: isOrdinary ? [reservableTrait] : [],
    limit: candidateLimit,
    sameSubtree: subtreesOf(spec.portRequests),
  };
}

/** The disk space of the host that the server uses, in GB. */
const diskOf = ({ flavor, onVolume }: RequestSpec): number =>
  (onVolume ? 0 : flavor.disk) + flavor.ephemeral + Math.ceil(flavor.swap / 1024);

/**
 * Adds an extra spec such as `resources:VCPU`, `resources1:VGPU` or `trait:HW_CPU_X86_AVX` to its
 * request group. All other specs are ignored, because they do not concern Placement.
 */
function addSpec(draft: (suffix: string) => Draft, key: string, value: string): void {
  const [, kind, suffix = '', name] =
    /^(resources|trait)([a-zA-Z0-9_-]{1,64})?:(.*)$/.exec(key) ?? [];
  if (kind === undefined || !name) return;
  const group = draft(suffix);
  if (kind === 'trait') {
    if (value === 'required') group.required.push(name);
    else if (value === 'forbidden') group.forbidden.push(name);
  } else if (/^\d+$/.test(value)) group.resources.set(name, Number(value));
}

function groupOf(
  suffix: string,
  { resources, required, forbidden }: Draft,
  inTree?: string,
  memberOf: readonly (readonly string[])[] = [],
): RequestGroup {
  return {
    suffix,
    resources: new Map([...resources].filter(([, amount]) => amount > 0)),
    traits: { required: required.map((trait) => [trait]), forbidden },
    aggregates: { required: memberOf, forbidden: [] },
    inTree,
  };
}
