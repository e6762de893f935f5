// What a server asks of the host that it is put on, and how Placement is asked for it.
import type { AskedGroup, Demand } from '../../../placement/index.ts';
import type { ServerFlavor } from '../../store/servers/servers.ts';

/** A server group, as far as it bears on who may go where. */
export interface GroupRule {
  readonly uuid: string;
  readonly policy: string;
  /** Of anti-affinity: how many members a host takes. */
  readonly perHost: number;
}

export interface Wish {
  readonly server: string;
  readonly projectId: string;
  readonly userId: string;
  readonly flavor: ServerFlavor;
  /** A root disk on a volume takes nothing from the host's own. */
  readonly onVolume: boolean;
  readonly imageProperties: Readonly<Record<string, string>>;
  readonly zone: string | null;
  /** Only this host, or only this node. */
  readonly host: string | null;
  readonly node: string | null;
  /** Whether the host was forced: then no filter is asked. */
  readonly forced: boolean;
  readonly ignoredHosts: readonly string[];
  readonly group: GroupRule | undefined;
  /** The servers that the hints `same_host` and `different_host` name. */
  readonly nearTo: readonly string[];
  readonly farFrom: readonly string[];
  /** The reservations of hosts that the hint `reservation` names. */
  readonly reservations: readonly string[];
  /** Where the server is now: it may always go back there. */
  readonly currentHost: string | null;
}

/** Hosts whose service is disabled carry this trait. */
export const disabledTrait = 'COMPUTE_STATUS_DISABLED';

const candidateLimit = 1000;

interface Draft {
  readonly resources: Map<string, number>;
  readonly required: string[];
  readonly forbidden: string[];
}

/** The request to Placement: from the flavor's figures, and what its extra specs say over them. Upstream: scheduler/utils.py ResourceRequest. */
export function demandOf(wish: Wish, tree: string | undefined): Demand {
  const { flavor } = wish;
  const drafts = new Map<string, Draft>();
  const draft = (suffix: string): Draft => {
    const found = drafts.get(suffix) ?? { resources: new Map<string, number>(), required: [], forbidden: [] };
    drafts.set(suffix, found);
    return found;
  };
  const { resources } = draft('');
  resources.set('VCPU', flavor.vcpus).set('MEMORY_MB', flavor.ram).set('DISK_GB', diskOf(wish));
  for (const [key, value] of Object.entries(flavor.extraSpecs)) ask(draft, key, value);
  for (const [key, value] of Object.entries(wish.imageProperties)) if (key.startsWith('trait:')) ask(draft, key, value);
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

/** So many gigabytes of the host's own disk. */
export const diskOf = ({ flavor, onVolume }: Pick<Wish, 'flavor' | 'onVolume'>): number =>
  (onVolume ? 0 : flavor.disk) + flavor.ephemeral + Math.ceil(flavor.swap / 1024);

/** Reads an extra spec such as `resources:VCPU`, `resources1:VGPU` or `trait:HW_CPU_X86_AVX`; others say nothing here. */
function ask(draft: (suffix: string) => Draft, key: string, value: string): void {
  const [, what, suffix = '', name] = /^(resources|trait)([a-zA-Z0-9_-]{1,64})?:(.*)$/.exec(key) ?? [];
  if (what === undefined || !name) return;
  const group = draft(suffix);
  if (what === 'trait') {
    if (value === 'required') group.required.push(name);
    else if (value === 'forbidden') group.forbidden.push(name);
  } else if (/^\d+$/.test(value)) group.resources.set(name, Number(value));
}

function groupOf(suffix: string, { resources, required, forbidden }: Draft, inTree: string | undefined): AskedGroup {
  return {
    suffix,
    resources: new Map([...resources].filter(([, amount]) => amount > 0)),
    traits: { required: required.map((trait) => [trait]), forbidden },
    aggregates: { required: [], forbidden: [] },
    inTree,
  };
}
