// The microversions of Clustering, with a line of history each.
import { versions } from '../../kernel/microversion.ts';

export const clusteringVersions = versions('clustering', {
  '1.0': 'profiles, policies, clusters, nodes, actions, events and receivers, as they first were',
  '1.1': 'nothing that a client can see',
  '1.2':
    'attributes are collected from the nodes of a cluster; profiles and policies are validated',
  '1.3': 'nodes of a cluster are replaced',
  '1.4': 'operations on nodes and clusters; destroy_after_deletion; receivers are listed by user',
  '1.5': 'types say how they are supported',
  '1.6': 'profile_only in the update of a cluster; check in its recovery',
  '1.7': 'nodes are adopted; a cluster has a config that may be changed',
  '1.8': 'force in the deletion of clusters and nodes',
  '1.9': 'complete_lifecycle',
  '1.10': 'the body of a webhook is the input of the action',
  '1.11': 'scaling that conflicts is a 409',
  '1.12': 'actions are cancelled',
  '1.13': 'tainted nodes',
  '1.14': 'the cluster of an action',
});

export type ClusteringVersion = (typeof clusteringVersions)['min']['name'];
