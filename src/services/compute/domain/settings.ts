// The settings of Compute, which an operator can change at runtime. Upstream reads them from
// nova.conf.
import {
  booleanSetting,
  choiceSetting,
  integerSetting,
  numberSetting,
  ServiceSettings,
  type SettingDeclaration,
  type SettingValues,
} from '../../../kernel/contract/service-settings.ts';
import type { Context } from '../../../kernel/model.ts';
import { auditUnits } from './audit-periods.ts';

/**
 * The multiplier of the soft policies, ten times upstream's. With upstream's value, the other
 * weighers, which all prefer the emptiest host, outweigh a soft policy whenever hosts are alike.
 */
const softMultiplier = 10;
const softReason =
  'Upstream has 1, with which the other weighers outweigh the policy whenever hosts are alike.';

/** Declares the multiplier of a weigher, which the metadata of a host aggregate can override. */
const multiplier = (
  weigher: string,
  usual: number,
  help: string,
  minimum?: number,
): SettingDeclaration<number> =>
  numberSetting({
    default: usual,
    minimum,
    upstream: `[filter_scheduler] ${weigher}_weight_multiplier`,
    help: `${help} The metadata \`${weigher}_weight_multiplier\` of a host aggregate takes precedence.`,
  });

export const computeSettings = new ServiceSettings('compute', {
  allowResizeToSameHost: booleanSetting({
    default: false,
    upstream: '[DEFAULT] allow_resize_to_same_host',
    help: 'Whether a resize may leave a server on its host.',
  }),
  queryPlacementForRoutedNetworkAggregates: booleanSetting({
    default: false,
    upstream: '[scheduler] query_placement_for_routed_network_aggregates',
    help:
      'Whether servers are only placed on hosts that reach a segment of each network that they ' +
      'request.',
  }),
  maxLocalBlockDevices: integerSetting({
    default: 3,
    minimum: -1,
    upstream: '[DEFAULT] max_local_block_devices',
    help: 'The maximum number of local disks of a new server; 0 for none, -1 for unlimited.',
  }),
  enableInstancePassword: booleanSetting({
    default: true,
    upstream: '[api] enable_instance_password',
    help: 'Whether replies show the password of a server that is created, rebuilt or rescued.',
  }),
  maxLimit: integerSetting({
    default: 1000,
    minimum: 0,
    upstream: '[api] max_limit',
    help: 'The largest page of a list, and the page of a request without a limit.',
  }),
  reclaimInstanceInterval: integerSetting({
    default: 0,
    minimum: 0,
    upstream: '[DEFAULT] reclaim_instance_interval',
    help:
      'For how many seconds a deleted server is SOFT_DELETED, and can be restored; 0 to delete ' +
      'servers at once. A change applies to soft-deleted servers too; with 0 they stay until a ' +
      'client deletes them.',
  }),
  shelvedOffloadTime: integerSetting({
    default: 0,
    minimum: -1,
    upstream: '[DEFAULT] shelved_offload_time',
    help:
      'How many seconds a shelved server stays on its host; -1 for as long as no client offloads ' +
      'it. A change applies to servers that are shelved from then on.',
  }),
  consoleTokenTtl: integerSetting({
    default: 600,
    minimum: 0,
    upstream: '[consoleauth] token_ttl',
    help: 'For how many seconds the URL of a console lets people in. A change applies to new URLs.',
  }),
  ramWeightMultiplier: multiplier(
    'ram',
    1,
    'How much free memory counts when the scheduler ranks hosts; negative to fill hosts.',
  ),
  cpuWeightMultiplier: multiplier(
    'cpu',
    1,
    'How much free VCPU count when the scheduler ranks hosts; negative to fill hosts.',
  ),
  diskWeightMultiplier: multiplier(
    'disk',
    1,
    'How much free disk space counts when the scheduler ranks hosts; negative to fill hosts.',
  ),
  ioOpsWeightMultiplier: multiplier(
    'io_ops',
    -1,
    'How much servers with a running task count; negative to prefer idle hosts.',
  ),
  softAffinityWeightMultiplier: multiplier(
    'soft_affinity',
    softMultiplier,
    `How much the members of a group with soft affinity count. ${softReason}`,
    0,
  ),
  softAntiAffinityWeightMultiplier: multiplier(
    'soft_anti_affinity',
    softMultiplier,
    `How much the members of a group with soft anti-affinity count. ${softReason}`,
    0,
  ),
  instanceUsageAudit: booleanSetting({
    default: false,
    upstream: '[DEFAULT] instance_usage_audit',
    help: 'Whether `instance.exists` reports the servers of each period when it has ended.',
  }),
  instanceUsageAuditPeriod: choiceSetting({
    default: 'month',
    choices: auditUnits,
    upstream: '[DEFAULT] instance_usage_audit_period',
    help: 'The period of usage audits, in UTC. An offset such as `month@15` is not supported.',
  }),
  notifyOnStateChange: choiceSetting({
    default: 'none',
    choices: ['none', 'vm_state', 'vm_and_task_state'],
    upstream: '[notifications] notify_on_state_change',
    help:
      'For which changes of states `instance.update` is sent, with the states before and after. ' +
      'Unless it is `none`, every other change of a server sends one, too.',
  }),
});

export type Settings = SettingValues<typeof computeSettings.declarations>;

export const loadSettings = ({ db }: Pick<Context, 'db'>): Promise<Settings> =>
  computeSettings.load(db);
