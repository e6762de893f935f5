// Which ports the Open vSwitch driver applies QoS rules to. Upstream:
// neutron/services/qos/drivers/manager.py and openvswitch/driver.py.
import type { Context } from '../../../../kernel/model.ts';
import { effectivePolicy, type Network, type Port } from '../../model.ts';
import { latest } from '../../store/sharing.ts';
import { networkTable, portTable, qosPolicyTable, qosRuleTable } from '../../store/tables.ts';
import { inConflict } from '../refusals.ts';

const supportedVnicTypes: readonly string[] = ['normal', 'direct'];

/** The type of the virtual interface counts as long as the port is bound to no host. */
const isSupported = (port: Port): boolean =>
  port['binding:host_id'] !== '' || supportedVnicTypes.includes(port['binding:vnic_type']);

/** The ports that a policy applies to: with the policy, or on a network with it and without one. */
export async function portsWithPolicy({ db }: Context, policyId: string): Promise<Port[]> {
  const withPolicy = { where: { qos_policy_id: policyId }, conditions: [latest] };
  const found = await portTable.list(db, withPolicy);
  for (const { id } of await networkTable.list(db, withPolicy)) {
    const where = { network_id: id, qos_policy_id: null };
    found.push(...(await portTable.list(db, { where, conditions: [latest] })));
  }
  return found;
}

/** @throws 409 if a policy has rules that the driver does not apply to a port */
export async function checkSupported(
  { db }: Context,
  policyId: string | null,
  port: Port,
): Promise<void> {
  if (policyId === null || isSupported(port)) return;
  const [rule] = await qosRuleTable.list(db, {
    where: { qos_policy_id: policyId },
    sort: ['type'],
    limit: 1,
  });
  if (rule)
    throw inConflict(
      'QosRuleNotSupported',
      `Rule ${rule.type} is not supported by port ${port.id}`,
    );
}

/**
 * Checks a port that is about to get a policy, which gets no rules until the transaction ends if
 * the driver would not apply them.
 * @throws 409
 */
export async function checkNewSupported(
  context: Context,
  policyId: string | null,
  port: Port,
): Promise<void> {
  if (policyId === null || isSupported(port)) return;
  const { db } = context;
  await checkSupported(context, policyId, port);
  const policy = await qosPolicyTable.find(db, { id: policyId });
  if (policy) await qosPolicyTable.checkUnchanged(db, policy);
}

/**
 * Checks a new port. If the driver would not apply rules to it, its network gets no policy until
 * the transaction ends.
 * @throws 409
 */
export async function checkCreatedSupported(
  context: Context,
  network: Network,
  port: Port,
): Promise<void> {
  if (isSupported(port)) return;
  await networkTable.checkUnchanged(context.db, network);
  await checkNewSupported(context, effectivePolicy(port, network), port);
}
