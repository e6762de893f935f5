// Shared by the tests of Compute: requests with noauth tokens, and checks of errors.
import { expect } from 'chai';
import type supertest from 'supertest';
import type { Asked, World } from '../../support/cloud.ts';

/** Three hosts, as with `--hosts 3`, and tokens without Keystone. */
export const config = { auth: 'noauth2', hosts: '3' } as const;

export { member, reader, someone } from '../../support/people.ts';

/** Sends a request below v2.1, at 2.1 by default. */
export function ask(world: World, method: string, path: string, asked: Asked = {}): supertest.Test {
  return world.ask('compute', method, `/compute/v2.1${path}`, asked);
}

/** Expects an error in Compute's envelope. */
export function expectFault(
  reply: supertest.Response,
  status: number,
  message: string | RegExp,
): void {
  const names: Record<number, string> = {
    400: 'badRequest',
    403: 'forbidden',
    404: 'itemNotFound',
    406: 'computeFault',
    409: 'conflictingRequest',
    410: 'computeFault',
    415: 'badMediaType',
    501: 'notImplemented',
  };
  expect(reply.status, reply.text).to.equal(status);
  expect(Object.keys(reply.body as object)).to.deep.equal([names[status]]);
  const fault = (reply.body as Record<string, { code: number; message: string }>)[names[status]!]!;
  expect(fault.code).to.equal(status);
  if (typeof message === 'string') expect(fault.message).to.equal(message);
  else expect(fault.message).to.match(message);
}

/** Creates a flavor with defaults for the other fields. */
export const flavorOf = (fields: object): object => ({
  flavor: { name: 'f', ram: 64, vcpus: 1, disk: 0, ...fields },
});
