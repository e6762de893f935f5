// The types of jobs, with the keys that identify their resources. Upstream: job_resource_map and
// job_primary_resource_map in tricircle/common/constants.py.

interface JobType {
  readonly name: string;
  /** The keys of the resource. */
  readonly keys: readonly string[];
  /**
   * The key of the resource that must have a routing of the project, and its type; undefined if the
   * resource is the project itself.
   */
  readonly owned?: { readonly key: string; readonly resourceType: string };
}

const ownedBy = (resourceType: string, key: string) => ({ owned: { key, resourceType } });

/** In the order of the list of schemas. */
export const jobTypes: readonly JobType[] = [
  { name: 'configure_route', keys: ['router_id'], ...ownedBy('router', 'router_id') },
  {
    name: 'router_setup',
    keys: ['pod_id', 'router_id', 'network_id'],
    ...ownedBy('router', 'router_id'),
  },
  { name: 'port_delete', keys: ['pod_id', 'port_id'], ...ownedBy('port', 'port_id') },
  { name: 'seg_rule_setup', keys: ['project_id'] },
  { name: 'update_network', keys: ['pod_id', 'network_id'], ...ownedBy('network', 'network_id') },
  { name: 'trunk_sync', keys: ['pod_id', 'trunk_id'], ...ownedBy('trunk', 'trunk_id') },
  { name: 'subnet_update', keys: ['pod_id', 'subnet_id'], ...ownedBy('subnet', 'subnet_id') },
  {
    name: 'shadow_port_setup',
    keys: ['pod_id', 'network_id'],
    ...ownedBy('network', 'network_id'),
  },
  {
    name: 'sfc_sync',
    keys: ['pod_id', 'portchain_id', 'network_id'],
    ...ownedBy('port_chain', 'portchain_id'),
  },
  { name: 'resource_recycle', keys: ['project_id'] },
  {
    name: 'qos_create',
    keys: ['pod_id', 'policy_id', 'res_type', 'res_id'],
    ...ownedBy('qos_policy', 'policy_id'),
  },
  { name: 'qos_update', keys: ['pod_id', 'policy_id'], ...ownedBy('qos_policy', 'policy_id') },
  { name: 'qos_delete', keys: ['pod_id', 'policy_id'], ...ownedBy('qos_policy', 'policy_id') },
  { name: 'sync_qos_rule', keys: ['rule_id', 'policy_id'], ...ownedBy('qos_policy', 'policy_id') },
  // Not upstream's, where the central plugin updates ports and floating IPs in pods itself.
  { name: 'port_update', keys: ['pod_id', 'port_id'], ...ownedBy('port', 'port_id') },
  {
    name: 'floatingip_update',
    keys: ['pod_id', 'floatingip_id'],
    ...ownedBy('floatingip', 'floatingip_id'),
  },
];

export const findJobType = (name: string): JobType | undefined =>
  jobTypes.find((type) => type.name === name);

/** The values of a job's resource, by key. */
export function resourceOf(type: string, resourceId: string): Record<string, string> {
  const values = JSON.parse(resourceId) as string[];
  return Object.fromEntries((findJobType(type)?.keys ?? []).map((key, at) => [key, values[at]!]));
}
