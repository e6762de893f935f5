// Collects all race scenarios, by the authentication that their requests use.
import type { Scenario } from '../races.ts';
import { autoTopologyScenarios } from './auto-topologies.ts';
import { clusteringScenarios } from './clustering.ts';
import { computeScenarios } from './compute.ts';
import { conntrackHelperScenarios } from './conntrack.ts';
import { federationScenarios } from './federation.ts';
import { flavorScenarios } from './flavors.ts';
import { identityScenarios } from './identity.ts';
import { imageScenarios } from './image.ts';
import { meteringScenarios } from './metering.ts';
import { multiattachScenarios } from './multiattach.ts';
import { networkScenarios } from './network.ts';
import { segmentScenarios } from './segments.ts';
import { sharingScenarios } from './sharing.ts';
import { portResourceScenarios } from './port-resources.ts';
import { portScenarios } from './ports.ts';
import { placementScenarios } from './placement.ts';
import { reservationScenarios } from './reservation.ts';
import { samlScenarios } from './saml.ts';
import { trunkScenarios } from './trunks.ts';
import { trustScenarios } from './trusts.ts';
import { volumeScenarios } from './volume.ts';

export const scenarios: Readonly<Record<'noauth2' | 'keystone', readonly Scenario[]>> = {
  noauth2: [
    ...placementScenarios,
    ...imageScenarios,
    ...networkScenarios,
    ...sharingScenarios,
    ...portScenarios,
    ...trunkScenarios,
    ...autoTopologyScenarios,
    ...flavorScenarios,
    ...meteringScenarios,
    ...segmentScenarios,
    ...conntrackHelperScenarios,
    ...volumeScenarios,
    ...computeScenarios,
    ...multiattachScenarios,
    ...portResourceScenarios,
    ...reservationScenarios,
    ...clusteringScenarios,
  ],
  keystone: [...identityScenarios, ...federationScenarios, ...samlScenarios, ...trustScenarios],
};
