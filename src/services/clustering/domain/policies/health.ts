// The policy senlin.policy.health has the nodes of a cluster checked, and unhealthy ones recovered.
import type { Context } from '../../../../kernel/model.ts';
import { invalidSpec, EngineFailure } from '../refusals.ts';
import { boolean, integer, list, map, SpecError, text } from '../specs/schema.ts';
import type { ActionData, HealthParams, Json } from '../../model.ts';
import { without } from '../without.ts';
import * as registry from '../health/registry.ts';
import { loadSettings } from '../settings.ts';
import { changeOf } from './distribution.ts';
import { failCheck, type Check, type PolicyType } from './types.ts';

const modes = [
  'LIFECYCLE_EVENTS',
  'NODE_STATUS_POLLING',
  'NODE_STATUS_POLL_URL',
  'HYPERVISOR_STATUS_POLLING',
];

interface Detection {
  readonly interval: number;
  readonly node_update_timeout: number;
  readonly recovery_conditional: string;
  readonly detection_modes: readonly { readonly type: string; readonly options: Json }[] | null;
}

interface Recovery {
  readonly actions: readonly { readonly name: string; readonly params: Json | null }[] | null;
  readonly fencing: readonly string[] | null;
  readonly node_delete_timeout: number;
  readonly node_force_recreate: boolean;
}

const detectionOf = (properties: Json): Detection => properties['detection'] as Detection;
const recoveryOf = (properties: Json): Recovery => properties['recovery'] as Recovery;

async function validate(context: Context, properties: Json): Promise<void> {
  const { interval, detection_modes: detection } = detectionOf(properties);
  if ((recoveryOf(properties).actions ?? []).length > 1)
    throw new SpecError("Only one 'actions' is supported for now.");
  const { healthCheckIntervalMin: minInterval } = await loadSettings(context);
  if (interval < minInterval)
    throw invalidSpec(
      `Specified interval of ${interval} seconds has to be larger than ` +
        `health_check_interval_min of ${minInterval} seconds set in configuration.`,
    );
  const types = (detection ?? []).map(({ type }) => type);
  const polls = types.every((type) => type !== 'LIFECYCLE_EVENTS');
  const listens = types.length === 1 && types[0] === 'LIFECYCLE_EVENTS';
  if (!types.length || !(polls || listens))
    throw invalidSpec(`Invalid detection modes in health policy: ${types.join(', ')}`);
  const distinct = new Set((detection ?? []).map((mode) => JSON.stringify(mode)));
  if (distinct.size < types.length)
    throw invalidSpec(
      `Duplicate detection modes are not allowed in health policy: ${types.join(', ')}`,
    );
}

/** What upstream stores for the options that a mode does not set. */
const unsetOptions = {
  poll_url: '',
  poll_url_ssl_verify: true,
  poll_url_conn_error_as_unhealthy: true,
  poll_url_healthy_response: '',
  poll_url_retry_limit: '',
  poll_url_retry_interval: '',
};

/** The parameters of the health checker. */
function paramsOf(properties: Json): HealthParams {
  const { interval, node_update_timeout, recovery_conditional, detection_modes } =
    detectionOf(properties);
  const { node_delete_timeout, node_force_recreate, actions } = recoveryOf(properties);
  return {
    interval,
    node_update_timeout,
    recovery_conditional,
    node_delete_timeout,
    node_force_recreate,
    recover_action: (actions ?? []).map(({ name, params }) => ({ name, params })),
    detection_modes: (detection_modes ?? []).map(({ type, options }) => ({
      type,
      ...unsetOptions,
      ...options,
    })),
  };
}

/** Has the health of a cluster checked, as if the policy were being attached. */
export const checkHealth = (context: Context, clusterId: string, properties: Json): Promise<void> =>
  registry.register(context, clusterId, paramsOf(properties));

/** Whether health checks pause during an action: it removes nodes, or changes all of them. */
const pausesChecks = ({ action }: Check['action'], { deletion }: ActionData): boolean =>
  action !== 'CLUSTER_RESIZE' || deletion !== undefined;

async function before(check: Check): Promise<ActionData> {
  const { action, cluster, properties, context } = check;
  let { data } = check;
  if (action.action === 'CLUSTER_RESIZE' && !data.deletion) {
    const found = changeOf(check, data, (await check.members()).length);
    if ('problem' in found) return failCheck(data, found.problem);
    ({ data } = found);
  }
  if (pausesChecks(action, data)) {
    await registry.setEnabled(context, cluster.id, false);
    check.notes.add(() => ({ text: 'the action changes nodes, so health checks pause' }));
    return data;
  }
  const { actions, fencing } = recoveryOf(properties);
  check.notes.add(() => {
    const names = (actions ?? []).map(({ name }) => name);
    const recovery = names.join(', ') || 'RECREATE';
    return {
      text: `health checks go on; unhealthy nodes are recovered by ${recovery}`,
      values: { recover_action: names, fencing: fencing ?? null },
    };
  });
  return { ...data, health: { recover_action: actions ?? [], fencing: fencing ?? null } };
}

const option = map(
  '',
  {
    poll_url: text(
      'URL to poll for node status. See documentation for valid expansion parameters. Only ' +
        "required when type is 'NODE_STATUS_POLL_URL'.",
      { initial: '' },
    ),
    poll_url_ssl_verify: boolean(
      'Whether to verify SSL when calling URL to poll for node status. Only required when ' +
        "type is 'NODE_STATUS_POLL_URL'.",
      { initial: true },
    ),
    poll_url_conn_error_as_unhealthy: boolean(
      'Whether to treat URL connection errors as an indication of an unhealthy node. Only ' +
        "required when type is 'NODE_STATUS_POLL_URL'.",
      { initial: true },
    ),
    poll_url_healthy_response: text(
      'String pattern in the poll URL response body that indicates a healthy node. Required ' +
        "when type is 'NODE_STATUS_POLL_URL'.",
      { initial: '' },
    ),
    poll_url_retry_limit: integer(
      'Number of times to retry URL polling when its return body is missing ' +
        'POLL_URL_HEALTHY_RESPONSE string before a node is considered down. Required when type ' +
        "is 'NODE_STATUS_POLL_URL'.",
      { initial: 3 },
    ),
    poll_url_retry_interval: integer(
      'Number of seconds between URL polling retries before a node is considered down. ' +
        "Required when type is 'NODE_STATUS_POLL_URL'.",
      { initial: 3 },
    ),
  },
  { initial: {} },
);

const schema = {
  detection: map(
    'Policy aspect for node failure detection.',
    {
      interval: integer(
        "Number of seconds between pollings. Only required when type is 'NODE_STATUS_POLLING' " +
          "or 'NODE_STATUS_POLL_URL' or 'HYPERVISOR_STATUS_POLLING.",
        { initial: 60 },
      ),
      node_update_timeout: integer(
        'Number of seconds since last node update to wait before checking node health.',
        { initial: 300 },
      ),
      recovery_conditional: text(
        'The conditional that determines when recovery should be performed in case multiple ' +
          "detection modes are specified. 'ALL_FAILED' means that all detection modes have to " +
          "return failed health checks before a node is recovered. 'ANY_FAILED' means that a " +
          'failed health check with a single detection mode triggers a node recovery.',
        { initial: 'ANY_FAILED', allowed: ['ALL_FAILED', 'ANY_FAILED'] },
      ),
      detection_modes: list(
        'List of node failure detection modes.',
        map('Node failure detection mode to try', {
          type: text('Type of node failure detection.', { required: true, allowed: modes }),
          options: option,
        }),
      ),
    },
    { required: true },
  ),
  recovery: map(
    'Policy aspect for node failure recovery.',
    {
      actions: list(
        'List of actions to try for node recovery.',
        map('Action to try for node recovery.', {
          name: text('Name of action to execute.', {
            required: true,
            allowed: ['REBOOT', 'REBUILD', 'RECREATE'],
          }),
          params: map('Parameters for the action'),
        }),
      ),
      fencing: list(
        'List of services to be fenced.',
        text('Service to be fenced.', { required: true, allowed: ['COMPUTE'] }),
      ),
      node_delete_timeout: integer(
        'Number of seconds to wait for node deletion to finish and start node creation for ' +
          "recreate recovery option. Required when type is 'NODE_STATUS_POLL_URL and recovery " +
          "action is RECREATE'.",
        { initial: 20 },
      ),
      node_force_recreate: boolean(
        'Whether to create node even if node deletion failed. Required when type is ' +
          "'NODE_STATUS_POLL_URL' and action recovery action is RECREATE.",
        { initial: false },
      ),
    },
    { required: true },
  ),
};

const targets = [
  'CLUSTER_DEL_NODES',
  'CLUSTER_SCALE_IN',
  'CLUSTER_RESIZE',
  'CLUSTER_UPDATE',
  'CLUSTER_RECOVER',
  'CLUSTER_REPLACE_NODES',
  'NODE_DELETE',
];

const policyOf = (version: string): PolicyType => ({
  name: 'senlin.policy.health',
  version,
  support: {
    '1.0': [
      { status: 'EXPERIMENTAL', since: '2017.02' },
      { status: 'SUPPORTED', since: '2018.06' },
    ],
    '1.1': [{ status: 'SUPPORTED', since: '2018.09' }],
    '1.2': [{ status: 'SUPPORTED', since: '2020.09' }],
  },
  priority: 600,
  singleton: true,
  targets: { BEFORE: targets, AFTER: targets },
  schema,
  validate,
  attach: async ({ context, cluster, profile, properties }) => {
    const params = paramsOf(properties);
    const unsupported = params.recover_action.find(({ name }) => name !== 'RECREATE');
    if (unsupported && profile.type !== 'os.nova.server-1.0')
      throw new EngineFailure(
        `Recovery action ${unsupported.name} is only applicable to os.nova.server clusters.`,
      );
    await registry.register(context, cluster.id, params);
    return { HealthPolicy: { version: '1.2', data: without(params, 'recover_action') } };
  },
  detach: ({ context, cluster }) => registry.unregister(context, cluster.id),
  setEnabled: ({ context, cluster }, enabled) => registry.setEnabled(context, cluster.id, enabled),
  before,
  after: async ({ action, data, context, cluster, notes }) => {
    if (pausesChecks(action, data)) {
      await registry.setEnabled(context, cluster.id, true);
      notes.add(() => ({ text: 'health checks resume' }));
    }
    return data;
  },
});

export const health = [policyOf('1.0'), policyOf('1.1'), policyOf('1.2')];
