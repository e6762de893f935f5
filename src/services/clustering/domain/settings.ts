// The settings of Clustering, which an operator can change at runtime. Upstream reads them from
// senlin.conf.
import {
  integerSetting,
  ServiceSettings,
  type SettingValues,
} from '../../../kernel/contract/service-settings.ts';
import type { Context } from '../../../kernel/model.ts';

export const clusteringSettings = new ServiceSettings('clustering', {
  healthCheckIntervalMin: integerSetting({
    default: 60,
    minimum: 1,
    upstream: '[DEFAULT] health_check_interval_min',
    help: 'The shortest interval in seconds that a health policy may have.',
  }),
  defaultActionTimeout: integerSetting({
    default: 3600,
    minimum: 1,
    upstream: '[DEFAULT] default_action_timeout',
    help: 'The timeout in seconds of new actions, and of new clusters that do not name their own.',
  }),
  lockRetryTimes: integerSetting({
    default: 3,
    minimum: 0,
    maximum: 1000,
    upstream: '[DEFAULT] lock_retry_times',
    help: 'How often an action tries again to lock its cluster or node before it fails.',
  }),
  lockRetryInterval: integerSetting({
    default: 10,
    minimum: 0,
    upstream: '[DEFAULT] lock_retry_interval',
    help: 'The time in seconds between two attempts to lock a cluster or node.',
  }),
  maxActionsPerBatch: integerSetting({
    default: 0,
    minimum: 0,
    upstream: '[DEFAULT] max_actions_per_batch',
    help: 'How many actions of nodes begin at the same time; 0 for unlimited.',
  }),
  batchInterval: integerSetting({
    default: 3,
    minimum: 0,
    maximum: 1_000_000,
    upstream: '[DEFAULT] batch_interval',
    help: 'The time in seconds between two such batches of actions.',
  }),
  maxNodesPerCluster: integerSetting({
    default: 1000,
    minimum: 0,
    maximum: 100_000,
    upstream: '[DEFAULT] max_nodes_per_cluster',
    help: 'The highest number of nodes of a cluster.',
  }),
  maxClustersPerProject: integerSetting({
    default: 100,
    minimum: 0,
    upstream: '[DEFAULT] max_clusters_per_project',
    help: 'The highest number of clusters of a project.',
  }),
});

export type Settings = SettingValues<typeof clusteringSettings.declarations>;

export const loadSettings = ({ db }: Pick<Context, 'db'>): Promise<Settings> =>
  clusteringSettings.load(db);
