// Sample requests of Network about QoS rules and the tags of QoS policies.
import type { Client } from '../../support/raw.ts';
import type { Sample } from './model.ts';

/** Rules of each type with their changes, and whether they have a path of their own. */
const qosRules = [
  ['bandwidth_limit', { max_kbps: 10, max_burst_kbps: 1, direction: 'ingress' }, { max_kbps: 11 }],
  ['dscp_marking', { dscp_mark: 8 }, { dscp_mark: 10 }],
  ['minimum_bandwidth', { min_kbps: 10, direction: 'ingress' }, { min_kbps: 11 }],
  ['minimum_packet_rate', { min_kpps: 10, direction: 'any' }, { min_kpps: 11 }],
  ['packet_rate_limit', { max_kpps: 10, max_burst_kpps: 1 }, { max_kpps: 11 }],
] as const;

/** @param policy creates a QoS policy, and returns its id */
export function qosSamples(
  client: Client,
  policy: () => Promise<string>,
): Record<string, () => Promise<Sample>> {
  const tagged = async (): Promise<{ id: string; tag: string }> => {
    const id = await policy();
    const path = `/network/v2.0/policies/${id}/tags`;
    await client.ask('network', 'PUT', path, { body: { tags: ['a'] } });
    return { id, tag: 'a' };
  };
  const bodies = { create: ['b'], update: ['b', 'c'] };
  return {
    ...Object.assign(
      {},
      ...qosRules.map(([type, fields, changes]) => {
        const rule = async (): Promise<{ id: string; policy_id: string }> => {
          const policy_id = await policy();
          const path = `/network/v2.0/qos/policies/${policy_id}/${type}_rules`;
          const { body } = await client.ask('network', 'POST', path, {
            body: { [`${type}_rule`]: fields },
          });
          return { id: (body as Record<string, { id: string }>)[`${type}_rule`]!.id, policy_id };
        };
        const alias = async (): Promise<{ id: string }> => ({ id: (await rule()).id });
        return {
          [`qos_${type}_rules:list`]: async () => ({ params: await rule(), query: 'fields=id' }),
          [`qos_${type}_rules:create`]: async () => ({
            params: { policy_id: await policy() },
            body: { [`${type}_rule`]: fields },
          }),
          [`qos_${type}_rules:show`]: async () => ({ params: await rule() }),
          [`qos_${type}_rules:update`]: async () => ({
            params: await rule(),
            body: { [`${type}_rule`]: changes },
          }),
          [`qos_${type}_rules:delete`]: async () => ({ params: await rule() }),
          ...(type !== 'packet_rate_limit' && {
            [`qos_alias_${type}_rules:show`]: async () => ({ params: await alias() }),
            [`qos_alias_${type}_rules:update`]: async () => ({
              params: await alias(),
              body: { [`alias_${type}_rule`]: changes },
            }),
            [`qos_alias_${type}_rules:delete`]: async () => ({ params: await alias() }),
          }),
        };
      }),
    ),
    'policy_tags:list': async () => ({ params: await tagged() }),
    'policy_tags:create': async () => ({ params: await tagged(), body: { tags: bodies.create } }),
    'policy_tags:update': async () => ({ params: await tagged(), body: { tags: bodies.update } }),
    'policy_tags:clear': async () => ({ params: await tagged() }),
    'policy_tag:create': async () => ({ params: { id: await policy(), tag: 'new' } }),
    'policy_tag:show': async () => ({ params: await tagged() }),
    'policy_tag:delete': async () => ({ params: await tagged() }),
    'qos_rule_types:list': () => Promise.resolve({ query: 'all_rules=true' }),
    'qos_rule_types:show': () => Promise.resolve({ params: { rule_type: 'dscp_marking' } }),
  };
}
