// Candidates written short, so that a test can say on one line what it expects.
import type { Ask } from './makers.ts';
import { newest } from './makers.ts';

interface Body {
  allocation_requests: {
    allocations: Record<string, { resources: Record<string, number> }>;
    mappings?: Record<string, string[]>;
  }[];
  provider_summaries: Record<string, unknown>;
}

/** The classes that queries and candidates are written with here, by their letters. */
const letters: Readonly<Record<string, string>> = {
  D: 'DISK_GB',
  V: 'VCPU',
  S: 'SRIOV_NET_VF',
  P: 'PGPU',
  Q: 'FPGA',
};
const letterOf = (name: string): string =>
  Object.keys(letters).find((letter) => letters[letter] === name)!;
const numberOf = (uuid: string): string => String(Number(uuid.slice(-3)));

function partsOf(allocations: Body['allocation_requests'][number]['allocations']): string {
  const parts = Object.entries(allocations).flatMap(([uuid, { resources }]) =>
    Object.entries(resources).map(
      ([name, amount]) => `${numberOf(uuid)} ${letterOf(name)}:${amount}`,
    ),
  );
  return parts.sort().join(', ');
}

export interface InShort {
  /** What could be claimed, as `2 D:1, 3 D:2`: provider 2 gives 1 of DISK_GB and 3 gives 2. */
  readonly found: (query: string, version?: string) => Promise<string[]>;
  /** The same with who serves which group: `2 D:1, 3 D:2 <1=2 2=3>`. */
  readonly mapped: (query: string) => Promise<string[]>;
  /** The numbers of the providers in the summaries. */
  readonly summarised: (query: string, version?: string) => Promise<string[]>;
}

/** Asks for candidates, with letters for the classes of the query. */
export function inShort(ask: Ask): InShort {
  const get = async (query: string, version = newest): Promise<Body> => {
    const spelled = query.replace(/\b([DVSPQ]):/g, (_, letter: string) => `${letters[letter]}:`);
    return (await ask(`GET /allocation_candidates?${spelled}`, version).expect(200)).body as Body;
  };
  return {
    found: async (query, version) =>
      (await get(query, version)).allocation_requests.map(({ allocations }) =>
        partsOf(allocations),
      ),
    mapped: async (query) =>
      (await get(query)).allocation_requests.map(({ allocations, mappings }) => {
        const groups = Object.entries(mappings!).map(
          ([suffix, uuids]) => `${suffix}=${uuids.map(numberOf).sort().join('+')}`,
        );
        return `${partsOf(allocations)} <${groups.sort().join(' ')}>`;
      }),
    summarised: async (query, version) =>
      Object.keys((await get(query, version)).provider_summaries).map(numberOf),
  };
}
