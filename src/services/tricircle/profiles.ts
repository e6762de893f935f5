// Named examples of clouds with several pods, for `--profile`.

/** A pod that Tricircle has from the start. Without a zone it is the central region. */
export interface PodSeed {
  readonly region: string;
  readonly azName: string;
  readonly podAzName: string;
  readonly dcName: string;
  /** The resource affinity tag; null for a general pod. */
  readonly tag: Readonly<Record<string, string>> | null;
}

const pod = (region: string, azName: string, tag: PodSeed['tag'] = null): PodSeed => ({
  region,
  azName,
  // The default availability zone of Compute.
  podAzName: azName === '' ? '' : 'nova',
  dcName: '',
  tag,
});

const cad = { resource: 'CAD Modeling' };

/**
 * The pods of each profile. `six-pods` is the example of Tricircle's specification of dynamic pod
 * binding: two groups of three pods in one availability zone. `three-regions` is the example of
 * Tricircle's installation guide.
 */
export const profiles: Readonly<Record<string, readonly PodSeed[]>> = {
  'six-pods': [
    pod('CentralRegion', ''),
    ...['Pod1', 'Pod2', 'Pod3'].map((name) => pod(name, 'az1')),
    ...['Pod4', 'Pod5', 'Pod6'].map((name) => pod(name, 'az1', cad)),
  ],
  'three-regions': [pod('CentralRegion', ''), pod('RegionOne', 'az1'), pod('RegionTwo', 'az2')],
};
