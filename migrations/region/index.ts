// The migrations of a region's database, in order.
import { clustering } from './clustering.ts';
import { clusteringCredentials } from './clustering-credentials.ts';
import { clusteringErrands } from './clustering-remote-tasks.ts';
import { compute } from './compute.ts';
import { computeConsoles } from './compute-consoles.ts';
import { computeFlavorRevisions } from './compute-flavor-revisions.ts';
import { computeSoftDeletion } from './compute-soft-deletion.ts';
import { computeServers } from './compute-servers.ts';
import { computeShelvedImages } from './compute-shelved-images.ts';
import { computeUnfinished } from './compute-unfinished.ts';
import { computeVolumeBacked } from './compute-volume-backed.ts';
import { explanationNames } from './explanation-names.ts';
import { explanations } from './explanations.ts';
import { image } from './image.ts';
import { imageImports } from './image-imports.ts';
import { imageMetadefs } from './image-metadefs.ts';
import { imageSeeds } from './image-seeds.ts';
import { jobStates } from '../job-states.ts';
import { jobs } from './jobs.ts';
import { kernel } from './kernel.ts';
import { network } from './network.ts';
import { networkAddressOrder } from './network-address-order.ts';
import { networkAgents } from './network-agents.ts';
import { networkMetering } from './network-metering.ts';
import { networkFlavors } from './network-flavors.ts';
import { networkAutoTopologies } from './network-auto-topologies.ts';
import { networkConntrackHelpers } from './network-conntrack.ts';
import { networkHostAgents } from './network-host-agents.ts';
import { networkAddressGroups } from './network-address-groups.ts';
import { networkQos } from './network-qos.ts';
import { networkRbac } from './network-rbac.ts';
import { networkDefaultRules } from './network-default-rules.ts';
import { networkPortForwardings } from './network-port-forwardings.ts';
import { networkPortUplinks } from './network-port-uplinks.ts';
import { networkPortBindings } from './network-port-bindings.ts';
import { networkTrunks } from './network-trunks.ts';
import { networkSegments } from './network-segments.ts';
import { networkServiceTypes } from './network-service-types.ts';
import { networkSubnetpools } from './network-subnetpools.ts';
import { notifications } from './notifications.ts';
import { outbox } from './outbox.ts';
import { placement } from './placement.ts';
import { placementHolders } from './placement-holders.ts';
import { plainNames } from './plain-names.ts';
import { reservation } from './reservation.ts';
import { reservationErrors } from './reservation-errors.ts';
import { revisions } from '../revisions.ts';
import { serviceSettings } from './service-settings.ts';
import { volume } from './volume.ts';
import { volumeAdministration } from './volume-administration.ts';
import { volumeBackendObjects } from './volume-backend-objects.ts';
import { volumeBackups } from './volume-backups.ts';
import { volumeDefaults } from './volume-defaults.ts';
import { volumeGroups } from './volume-groups.ts';
import type { Migration } from '../../src/kernel/db/database.ts';

export const regionMigrations: readonly Migration[] = [
  kernel,
  placement,
  network,
  image,
  volume,
  compute,
  computeServers,
  computeShelvedImages,
  volumeAdministration,
  networkSubnetpools,
  networkAgents,
  jobs,
  networkHostAgents,
  reservation,
  clustering,
  computeVolumeBacked,
  volumeDefaults,
  clusteringErrands,
  computeUnfinished,
  computeFlavorRevisions,
  plainNames,
  serviceSettings,
  outbox,
  clusteringCredentials,
  networkAddressOrder,
  networkServiceTypes,
  networkPortBindings,
  jobStates('jobs-3'),
  reservationErrors,
  computeSoftDeletion,
  notifications,
  imageSeeds,
  explanations,
  explanationNames,
  revisions,
  volumeGroups,
  volumeBackups,
  volumeBackendObjects,
  imageMetadefs,
  imageImports,
  networkRbac,
  networkAddressGroups,
  networkTrunks,
  networkQos,
  networkPortForwardings,
  networkDefaultRules,
  networkAutoTopologies,
  networkFlavors,
  networkMetering,
  placementHolders,
  computeConsoles,
  networkSegments,
  networkConntrackHelpers,
  networkPortUplinks,
];
