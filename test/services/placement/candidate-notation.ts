// A short notation for candidates, so that a test states its expectation on one line.
import type { Send } from './helpers.ts';
import { newest } from './helpers.ts';

interface Body {
  allocation_requests: {
    allocations: Record<string, { resources: Record<string, number> }>;
    mappings?: Record<string, string[]>;
  }[];
  provider_summaries: Record<string, unknown>;
}

/** The classes of the notation, by their letters. */
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

export interface CandidateNotation {
  /** Lists candidates: `2 D:1, 3 D:2` is 1 DISK_GB from provider 2, and 2 from provider 3. */
  readonly found: (query: string, version?: string) => Promise<string[]>;
  /** Lists candidates with their mappings: `2 D:1, 3 D:2 <1=2 2=3>`. */
  readonly mapped: (query: string) => Promise<string[]>;
  /** Lists the numbers of the providers in the summaries. */
  readonly summarised: (query: string, version?: string) => Promise<string[]>;
}

/** Requests candidates by a query with letters for the classes. */
export function candidateNotation(send: Send): CandidateNotation {
  const get = async (query: string, version = newest): Promise<Body> => {
    const expanded = query.replace(/\b([DVSPQ]):/g, (_, letter: string) => `${letters[letter]}:`);
    return (await send(`GET /allocation_candidates?${expanded}`, version).expect(200)).body as Body;
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
