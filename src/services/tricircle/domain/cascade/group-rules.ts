// Keeps the rules of a security group in a pod like those of the central group.
import { ApiError } from '../../../../kernel/errors.ts';
import { createRules, deleteRule, readRecord, type NetworkRecord } from '../../clients/network.ts';
import type { Carrying } from './carrying.ts';

type Rule = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly remote_group_id: string | null;
  readonly remote_address_group_id: string | null;
};

/** The fields that identify a rule. */
const ruleFields = [
  'direction',
  'ethertype',
  'protocol',
  'port_range_min',
  'port_range_max',
  'remote_ip_prefix',
  'remote_group_id',
  'description',
];

const rulesOf = (group: NetworkRecord): readonly Rule[] =>
  group['security_group_rules'] as readonly Rule[];

const partsOf = (rule: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(ruleFields.map((name) => [name, rule[name] ?? null]));

const keyOf = (rule: Readonly<Record<string, unknown>>): string => JSON.stringify(partsOf(rule));

/** How often the rules are compared while other processes write them. */
const maxRounds = 5;

/** Creates missing rules of a group in the pod, and deletes those that the central group lacks. */
export async function syncGroupRules(
  carrier: Carrying,
  central: NetworkRecord,
  groupId: string,
): Promise<void> {
  const expected = new Map<string, Readonly<Record<string, unknown>>>();
  // Address groups are central, so rules that name one cannot be in pods.
  const carried = rulesOf(central).filter((rule) => rule.remote_address_group_id === null);
  for (const rule of carried) {
    const { remote_group_id: remote } = rule;
    const remoteInPod =
      remote === null ? null : await carrier.ensure({ type: 'security_group', id: remote });
    const inPod = { ...partsOf(rule), remote_group_id: remoteInPod };
    expected.set(keyOf(inPod), inPod);
  }
  // Another process may create the same rules meanwhile. Neutron then refuses all of a request.
  for (let round = 1; ; round++)
    try {
      return await bringRules(carrier, central, groupId, expected);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409) || round === maxRounds) throw error;
    }
}

/** Compares the rules in the pod with the expected ones, by `keyOf`, and writes the differences. */
async function bringRules(
  { context, pod }: Carrying,
  { project_id }: NetworkRecord,
  groupId: string,
  expected: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
): Promise<void> {
  const group = await readRecord(context, pod, 'security_group', groupId);
  const current = new Map((group ? rulesOf(group) : []).map((rule) => [keyOf(rule), rule]));
  for (const [key, { id }] of current) if (!expected.has(key)) await deleteRule(context, pod, id);
  const missing = [...expected].filter(([key]) => !current.has(key));
  if (!missing.length) return;
  const rules = missing.map(([, rule]) => ({ ...rule, security_group_id: groupId, project_id }));
  await createRules(context, pod, project_id, rules);
}
