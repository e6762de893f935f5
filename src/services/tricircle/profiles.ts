// Profiles: the regions and pods of clouds that start with one flag.
import type { PodSeed } from '../../kernel/settings.ts';

const pod = (region: string, azName: string, tag: PodSeed['tag'] = null): PodSeed => ({
  region,
  azName,
  // As Compute names the zone of hosts that are in no other.
  podAzName: azName === '' ? '' : 'nova',
  dcName: '',
  tag,
});

const cad = { resource: 'CAD Modeling' };

/**
 * By name. `six-pods` is the cloud of Tricircle's specification of dynamic pod binding: two groups
 * of three pods in one availability zone. `three-regions` is that of its installation guide.
 */
export const profiles: Readonly<Record<string, readonly PodSeed[]>> = {
  'six-pods': [
    pod('CentralRegion', ''),
    ...['Pod1', 'Pod2', 'Pod3'].map((name) => pod(name, 'az1')),
    ...['Pod4', 'Pod5', 'Pod6'].map((name) => pod(name, 'az1', cad)),
  ],
  'three-regions': [pod('CentralRegion', ''), pod('RegionOne', 'az1'), pod('RegionTwo', 'az2')],
};
