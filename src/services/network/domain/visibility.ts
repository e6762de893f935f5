// Which resources an actor sees. Administrators and services see all; others see those of their
// project and those shared with it. Upstream: neutron/db/_model_query.py.
import type { ApiError } from '../../../kernel/errors.ts';
import type { Actor, Context } from '../../../kernel/model.ts';
import { ofProject, visiblePorts, visibleRules, visibleSubnets } from '../store/conditions.ts';
import { ofProjectOrShared, visibleNetworks } from '../store/sharing.ts';
import {
  addressGroupTable,
  addressScopeTable,
  defaultRuleTable,
  flavorTable,
  floatingipTable,
  groupTable,
  meteringLabelTable,
  meteringRuleTable,
  networkTable,
  portTable,
  qosPolicyTable,
  rbacTable,
  routerTable,
  ruleTable,
  segmentTable,
  serviceProfileTable,
  subnetpoolTable,
  subnetTable,
  trunkTable,
} from '../store/tables.ts';
import type { Standard } from '../model.ts';
import {
  addressGroupNotFound,
  addressScopeNotFound,
  defaultRuleNotFound,
  flavorNotFound,
  floatingipNotFound,
  groupNotFound,
  meteringLabelNotFound,
  meteringRuleNotFound,
  networkNotFound,
  portNotFound,
  qosPolicyNotFound,
  rbacPolicyNotFound,
  routerNotFound,
  ruleNotFound,
  segmentNotFound,
  serviceProfileNotFound,
  subnetNotFound,
  subnetpoolNotFound,
  trunkNotFound,
} from './refusals.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { ResourceTable } from '../store/resource-table.ts';
import type { Condition } from '../../../kernel/db/listing.ts';

/** Whether an actor sees the resources of all projects. */
export const seesAll = ({ isAdmin, isService, roles }: Actor): boolean =>
  isAdmin || isService || roles.includes('advsvc');

/** Restricts the resources of a table to those that a project sees. */
export type Visibility = (db: Db, projectId: string) => Condition;

export const visibility = {
  network: visibleNetworks,
  subnet: visibleSubnets,
  port: visiblePorts,
  rule: visibleRules,
  subnetpool: ofProjectOrShared('subnetpool', 'network_subnetpools'),
  addressScope: ofProjectOrShared('address_scope', 'network_address_scopes'),
  group: ofProjectOrShared('security_group', 'network_security_groups'),
  addressGroup: ofProjectOrShared('address_group', 'network_address_groups'),
  qosPolicy: ofProjectOrShared('qos_policy', 'network_qos_policies'),
  all: () => () => undefined,
  own: (_db: Db, projectId: string) => ofProject(projectId),
} as const satisfies Record<string, Visibility>;

/** Returns the conditions for a list of what the actor sees; none for actors who see everything. */
export const visibleTo = (
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  visible: Visibility,
): Condition[] => (seesAll(actor) ? [] : [visible(db, actor.projectId ?? '')]);

const finder =
  <T extends Standard>(
    table: ResourceTable<T>,
    visible: Visibility,
    missing: (id: string) => ApiError,
  ) =>
  async (context: Context, id: string): Promise<T> => {
    const found = await table.findById(context.db, id, visibleTo(context, visible));
    if (!found) throw missing(id);
    return found;
  };

/** Each function finds a resource that the actor sees. @throws 404 */
export const getNetwork = finder(networkTable, visibility.network, networkNotFound);
export const getSegment = finder(segmentTable, visibility.all, segmentNotFound);
export const getSubnet = finder(subnetTable, visibility.subnet, subnetNotFound);
export const getSubnetpool = finder(subnetpoolTable, visibility.subnetpool, subnetpoolNotFound);
export const getAddressScope = finder(
  addressScopeTable,
  visibility.addressScope,
  addressScopeNotFound,
);
export const getAddressGroup = finder(
  addressGroupTable,
  visibility.addressGroup,
  addressGroupNotFound,
);
export const getPort = finder(portTable, visibility.port, portNotFound);
export const getQosPolicy = finder(qosPolicyTable, visibility.qosPolicy, qosPolicyNotFound);
export const getRouter = finder(routerTable, visibility.own, routerNotFound);
export const getFloatingip = finder(floatingipTable, visibility.own, floatingipNotFound);
export const getGroup = finder(groupTable, visibility.group, groupNotFound);
export const getRule = finder(ruleTable, visibility.rule, ruleNotFound);
export const getDefaultRule = finder(defaultRuleTable, visibility.all, defaultRuleNotFound);
export const getRbacPolicy = finder(rbacTable, visibility.own, rbacPolicyNotFound);
export const getFlavor = finder(flavorTable, visibility.all, flavorNotFound);
export const getServiceProfile = finder(
  serviceProfileTable,
  visibility.all,
  serviceProfileNotFound,
);
export const getMeteringLabel = finder(meteringLabelTable, visibility.own, meteringLabelNotFound);
export const getMeteringRule = finder(meteringRuleTable, visibility.all, meteringRuleNotFound);
export const getTrunk = finder(trunkTable, visibility.own, trunkNotFound);
