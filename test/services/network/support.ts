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
