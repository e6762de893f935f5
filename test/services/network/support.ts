// What the tests of the Network have in common: who asks, and making things.
import type { Test } from 'supertest';
import type { Asked, World } from '../../support/cloud.ts';
import { someone } from '../../support/people.ts';

export { someone };

/** Tokens as no-auth reads them: user and project; roles go along in a header. */

export const member = someone('member,reader', 'ann', 'blue');
export const reader = someone('reader', 'bob', 'blue');
export const stranger = someone('member,reader', 'eve', 'red');

/** Asks the Network, as admin where nobody else is named. */
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
export type Thing = Record<string, any> & { id: string };

/** Makes a thing and gives it back. */
export async function make(
  world: World,
  noun: string,
  fields: object,
  as: Asked = {},
): Promise<Thing> {
  const path = /^(security|address_scope)/.test(noun) ? noun.replaceAll('_', '-') : noun;
  const reply = await ask(world, 'POST', `/${path}s`, { [noun]: fields }, as);
  if (reply.status !== 201)
    throw new Error(`${noun}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return (reply.body as Record<string, Thing>)[noun]!;
}

/** A network with a subnet. */
export async function makeNetwork(
  world: World,
  cidr: string,
  as: Asked = {},
  more: object = {},
): Promise<{ network: Thing; subnet: Thing }> {
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

interface Told {
  readonly status: number;
  readonly body: unknown;
}

/** Status, name and sentence of a refusal, on one line. */
export const refusal = ({ status, body }: Told): string => {
  const { type = '', message = '' } =
    (body as { NeutronError?: { type: string; message: string } }).NeutronError ?? {};
  return `${status} ${type}: ${message}`;
};
