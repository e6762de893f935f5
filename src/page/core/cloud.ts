// What every view needs to know of the cloud: its regions, services and clock.
import { emulator } from './http.ts';
import { useLive, type Loaded } from './live.ts';
import { useQuery } from './router.ts';

/** The reply of /_emulator/info. */
export interface Info {
  readonly version: string;
  readonly database: string;
  readonly auth: string;
  readonly regions: readonly string[];
  readonly services: Readonly<Record<string, ServiceInfo>>;
  readonly now: string;
}

/** A service as /_emulator/info describes it. */
export interface ServiceInfo {
  readonly path: string;
  readonly min_version: string;
  readonly max_version: string;
  readonly operations: number;
}

/** The reply of /_emulator/clock. */
export interface Clock {
  readonly now: string;
  readonly frozen: boolean;
  readonly ahead_seconds: number;
}

export const useInfo = (): Loaded<Info> =>
  useLive('info', ['emulator'], (signal) => emulator<Info>('/info', { signal }));

/** The names of the regions. The first one is that whose paths have no prefix. */
export const useRegions = (): readonly string[] =>
  useLive('regions', ['emulator'], async (signal) => {
    type Regions = { readonly regions: readonly { name: string; path: string }[] };
    const { regions } = await emulator<Regions>('/regions', { signal });
    return regions
      .toSorted((one, other) => Number(one.path !== '') - Number(other.path !== ''))
      .map(({ name }) => name);
  }).data ?? [];

/** The region that the page shows, and the prefix of its paths. */
export interface ShownRegion {
  readonly name: string | undefined;
  /** Empty for the first region, or such as `/RegionTwo`. */
  readonly prefix: string;
  /** For queries of /_emulator: empty, or such as `region=RegionTwo`. */
  readonly parameter: string;
}

/** The region of the address, or the first one. */
export function useRegion(): ShownRegion {
  const { region } = useQuery();
  if (region === undefined) return { name: undefined, prefix: '', parameter: '' };
  const name = encodeURIComponent(region);
  return { name: region, prefix: `/${name}`, parameter: `region=${name}` };
}
