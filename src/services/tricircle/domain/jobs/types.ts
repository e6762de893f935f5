// The types of jobs, and what each is about. Upstream: job_resource_map and
// job_primary_resource_map in tricircle/common/constants.py.

interface JobType {
  readonly name: string;
  /** The keys of the resource. */
  readonly keys: readonly string[];
  /**
   * The key whose resource must be routed for the project, and its type; undefined where the
   * resource is the project itself.
   */
  readonly owned?: { readonly key: string; readonly resourceType: string };
}

const about = (resourceType: string, key: string) => ({ owned: { key, resourceType } });

/** In the order in which the schemas are listed. */
export const jobTypes: readonly JobType[] = [
  { name: 'configure_route', keys: ['router_id'], ...about('router', 'router_id') },
  {
    name: 'router_setup',
    keys: ['pod_id', 'router_id', 'network_id'],
    ...about('router', 'router_id'),
  },
  { name: 'port_delete', keys: ['pod_id', 'port_id'], ...about('port', 'port_id') },
  { name: 'seg_rule_setup', keys: ['project_id'] },
  { name: 'update_network', keys: ['pod_id', 'network_id'], ...about('network', 'network_id') },
  { name: 'trunk_sync', keys: ['pod_id', 'trunk_id'], ...about('trunk', 'trunk_id') },
  { name: 'subnet_update', keys: ['pod_id', 'subnet_id'], ...about('subnet', 'subnet_id') },
  { name: 'shadow_port_setup', keys: ['pod_id', 'network_id'], ...about('network', 'network_id') },
  {
    name: 'sfc_sync',
    keys: ['pod_id', 'portchain_id', 'network_id'],
    ...about('port_chain', 'portchain_id'),
  },
  { name: 'resource_recycle', keys: ['project_id'] },
  {
    name: 'qos_create',
    keys: ['pod_id', 'policy_id', 'res_type', 'res_id'],
    ...about('qos_policy', 'policy_id'),
  },
  { name: 'qos_update', keys: ['pod_id', 'policy_id'], ...about('qos_policy', 'policy_id') },
  { name: 'qos_delete', keys: ['pod_id', 'policy_id'], ...about('qos_policy', 'policy_id') },
  { name: 'sync_qos_rule', keys: ['rule_id', 'policy_id'], ...about('qos_policy', 'policy_id') },
];

export const findJobType = (name: string): JobType | undefined =>
  jobTypes.find((type) => type.name === name);

/** The resource of a job, by the keys of its type. */
export function resourceOf(type: string, resourceId: string): Record<string, string> {
  const values = JSON.parse(resourceId) as string[];
  return Object.fromEntries((findJobType(type)?.keys ?? []).map((key, at) => [key, values[at]!]));
}
