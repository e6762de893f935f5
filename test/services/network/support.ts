// What the tests of Network share: callers, requests and the creation of resources.
import type { Test } from 'supertest';
import type { Asked, World } from '../../support/cloud.ts';
import { someone } from '../../support/people.ts';

export { someone };

/** Callers with tokens of noauth2: user and project, with the roles in a header. */
export const member = someone('member,reader', 'ann', 'blue');
export const reader = someone('reader', 'bob', 'blue');
export const otherMember = someone('member,reader', 'eve', 'red');

/** Sends a request to Network, by default as an administrator. */
export const ask = (
  world: World,
  method: string,
  path: string,
  body?: unknown,
  as: Asked = {},
): Test =>
  world.ask('network', method, `/network/v2.0${path}`, {
    ...as,
    ...(body === undefined ? {} : { body }),
  });

// oxlint-disable-next-line typescript/no-explicit-any
export type Resource = Record<string, any> & { id: string };

/** Creates a resource and returns it. @throws Error if the reply is not 201 */
export async function make(
  world: World,
  noun: string,
  fields: object,
  as: Asked = {},
): Promise<Resource> {
  const path = /^(security|default|address|rbac)/.test(noun) ? noun.replaceAll('_', '-') : noun;
  const reply = await ask(world, 'POST', `/${path}s`.replace(/ys$/, 'ies'), { [noun]: fields }, as);
  if (reply.status !== 201)
    throw new Error(`${noun}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return (reply.body as Record<string, Resource>)[noun]!;
}

/** Creates a network with a subnet. */
export async function makeNetwork(
  world: World,
  cidr: string,
  as: Asked = {},
  more: object = {},
): Promise<{ network: Resource; subnet: Resource }> {
  const network = await make(world, 'network', { name: 'net' }, as);
  const version = cidr.includes(':') ? 6 : 4;
  const subnet = await make(
    world,
    'subnet',
    { network_id: network.id, cidr, ip_version: version, ...more },
    as,
  );
  return { network, subnet };
}

interface ErrorReply {
  readonly status: number;
  readonly body: unknown;
}

/** Formats an error reply on one line: status, type and message. */
export const errorOf = ({ status, body }: ErrorReply): string => {
  const { type = '', message = '' } =
    (body as { NeutronError?: { type: string; message: string } }).NeutronError ?? {};
  return `${status} ${type}: ${message}`;
};

/**
 * Makes a routed network with a segment for each of two racks, and a subnet on each segment.
 * @param subnet the fields of a subnet, by its place
 */
export async function makeRacks(
  world: World,
  network: object,
  subnet: (index: number) => object,
): Promise<{ network: Resource; ids: string[]; subnets: Resource[] }> {
  const rack = (number: number) => ({
    'provider:network_type': 'vlan',
    'provider:physical_network': `rack${number}`,
  });
  const made = await make(world, 'network', { ...network, segments: [rack(1), rack(2)] });
  const query = `/segments?network_id=${made.id}&sort_key=physical_network&sort_dir=asc`;
  const { segments } = (await ask(world, 'GET', query).expect(200)).body;
  const ids = (segments as Resource[]).map(({ id }) => id);
  const subnets: Resource[] = [];
  for (const [index, segment_id] of ids.entries())
    subnets.push(
      await make(world, 'subnet', {
        network_id: made.id,
        ip_version: 4,
        segment_id,
        ...subnet(index),
      }),
    );
  return { network: made, ids, subnets };
}
