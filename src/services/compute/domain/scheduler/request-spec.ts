// The request spec: what a server requires of its host; and the request for allocation candidates
// that it makes. Upstream: objects/request_spec.py.
import type { CandidateRequest, RequestGroup } from '../../clients/placement.ts';
import { disabledTrait } from '../hosts/hosts.ts';
import type { GroupRule, ServerFlavor } from '../../model.ts';

/** What a server requires of its host. */
export interface RequestSpec {
  readonly server: string;
  readonly projectId: string;
  readonly userId: string;
  readonly flavor: ServerFlavor;
  /** Whether the root disk is on a volume: then it takes no disk of the host. */
  readonly onVolume: boolean;
  readonly imageProperties: Readonly<Record<string, string>>;
  readonly zone: string | null;
  /** Only this host, or only this node. */
  readonly host: string | null;
  readonly node: string | null;
  /** Whether the host was forced: then no filter runs. */
  readonly forced: boolean;
  readonly ignoredHosts: readonly string[];
  readonly group: GroupRule | undefined;
  /** The servers that the hints `same_host` and `different_host` name. */
  readonly sameHost: readonly string[];
  readonly differentHost: readonly string[];
  /** The reservations of hosts that the hint `reservation` names. */
  readonly reservations: readonly string[];
  /** Where the server is now: anti-affinity does not keep it from going back there. */
  readonly currentHost: string | null;
}

const candidateLimit = 1000;

interface Draft {
  readonly resources: Map<string, number>;
  readonly required: string[];
  readonly forbidden: string[];
}

/**
 * The request to Placement: from the flavor's figures, and what its extra specs say over them.
 * Upstream: scheduler/utils.py ResourceRequest.
 */
export function candidateRequestOf(spec: RequestSpec, tree: string | undefined): CandidateRequest {
  const { flavor } = spec;
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
  const groups = [...drafts]
    .map(([suffix, one]) => groupOf(suffix, one, suffix === '' ? tree : undefined))
    .filter((group) => group.resources.size > 0);
  return {
    groups,
    isolate: flavor.extraSpecs['group_policy'] === 'isolate',
    rootForbidden: [disabledTrait],
    limit: candidateLimit,
  };
}

/** How much disk of the host the server takes, in GB. */
const diskOf = ({ flavor, onVolume }: RequestSpec): number =>
  (onVolume ? 0 : flavor.disk) + flavor.ephemeral + Math.ceil(flavor.swap / 1024);

/**
 * Reads an extra spec such as `resources:VCPU`, `resources1:VGPU` or `trait:HW_CPU_X86_AVX`; other
 * specs are no request to Placement.
 */
function addSpec(draft: (suffix: string) => Draft, key: string, value: string): void {
  const [, what, suffix = '', name] =
    /^(resources|trait)([a-zA-Z0-9_-]{1,64})?:(.*)$/.exec(key) ?? [];
  if (what === undefined || !name) return;
  const group = draft(suffix);
  if (what === 'trait') {
    if (value === 'required') group.required.push(name);
    else if (value === 'forbidden') group.forbidden.push(name);
  } else if (/^\d+$/.test(value)) group.resources.set(name, Number(value));
}

function groupOf(
  suffix: string,
  { resources, required, forbidden }: Draft,
  inTree: string | undefined,
): RequestGroup {
  return {
    suffix,
    resources: new Map([...resources].filter(([, amount]) => amount > 0)),
    traits: { required: required.map((trait) => [trait]), forbidden },
    aggregates: { required: [], forbidden: [] },
    inTree,
  };
}
