// Changes what a server has allocated for a port whose QoS policy is replaced. Upstream:
// _change_placement_allocation in neutron/services/qos/qos_plugin.py.
import { ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import { allocationsOf, changeAmounts } from '../../clients/placement.ts';
import type { Port, QosRule } from '../../model.ts';
import { NetworkError } from '../../network-error.ts';
import { qosRuleTable } from '../../store/tables.ts';
import { bad, inConflict } from '../refusals.ts';
import { allocationOf, amountsOf, groupIdOf, guaranteeTypes } from './resource-requests.ts';

/**
 * Replaces what the server of a port has allocated for the guarantees of one policy by what it
 * needs for those of another. A port without an allocation gets none: only a move of its server
 * would claim one. The same is true for types of guarantees that the previous policy does not have.
 * @returns the profile of the binding afterwards; undefined if it does not change
 * @throws 400, 409, 501
 */
export async function changeAllocation(
  context: Context,
  port: Port,
  before: string | null,
  after: string | null,
): Promise<Port['binding:profile'] | undefined> {
  if (before === after || !port.device_owner.includes('compute:')) return undefined;
  const allocation = allocationOf(port);
  const previous = await guaranteesOf(context, before);
  if (!previous.length || !Object.keys(allocation).length) return undefined;
  const next = await guaranteesOf(context, after);
  const changes = new Map<string, Record<string, number>>();
  const updated: Record<string, string> = {};
  for (const type of guaranteeTypes) {
    const [own, desired] = [ofType(previous, type), ofType(next, type)];
    const provider = own.length ? allocation[groupIdOf(port.id, own)] : undefined;
    if (provider === undefined) continue;
    if (desired.length) updated[groupIdOf(port.id, desired)] = provider;
    changes.set(provider, { ...changes.get(provider), ...difference(own, desired) });
  }
  const needed = new Map([...changes].filter(([, amounts]) => Object.keys(amounts).length));
  if (needed.size) await apply(context, port.device_id, needed);
  return { ...port['binding:profile'], allocation: updated };
}

const ofType = (rules: readonly QosRule[], type: QosRule['type']): QosRule[] =>
  rules.filter((rule) => rule.type === type);

async function guaranteesOf({ db }: Context, policy: string | null): Promise<QosRule[]> {
  if (policy === null) return [];
  return qosRuleTable.among(db, 'qos_policy_id', [policy], { type: [...guaranteeTypes] });
}

/** By how much amounts change. @throws 501 if packet rates would gain or lose a direction */
function difference(own: readonly QosRule[], desired: readonly QosRule[]): Record<string, number> {
  if (own.some((one) => desired.some((other) => hasDirection(one) !== hasDirection(other))))
    throw new NetworkError(
      501,
      'NotImplementedError',
      'Changing from direction-less QoS minimum packet rate rule to a direction-oriented minimum ' +
        'packet rate rule, or vice versa, is not supported.',
    );
  const [before, after] = [amountsOf(own), amountsOf(desired)];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...names]
      .map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const)
      .filter(([, amount]) => amount !== 0),
  );
}

const hasDirection = ({ direction }: QosRule): boolean => direction !== 'any';

/** Upstream: update_qos_allocation in neutron_lib/placement/client.py. */
async function apply(
  context: Context,
  consumer: string,
  changes: ReadonlyMap<string, Readonly<Record<string, number>>>,
): Promise<void> {
  const held = (await allocationsOf(context, [consumer])).get(consumer);
  if (!held)
    throw bad(
      'PlacementAllocationRemoved',
      `Resource allocation is deleted for consumer ${consumer}`,
    );
  const unknown = [...changes.keys()].find((provider) => !held.has(provider));
  if (unknown !== undefined)
    throw bad(
      'PlacementAllocationRpNotExists',
      `Resource provider ${unknown} for ${consumer} does not exist`,
    );
  try {
    await changeAmounts(context, consumer, changes);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    throw inConflict(
      'QosPlacementAllocationUpdateConflict',
      `Updating placement allocation with ${pythonRepr(Object.fromEntries(changes))} for ` +
        `consumer ${consumer} failed. The requested resources would exceed the capacity available.`,
    );
  }
}
