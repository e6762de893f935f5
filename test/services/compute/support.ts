// What the tests of Compute share: requests by noauth tokens, and the faults that they expect.
import { expect } from 'chai';
import type supertest from 'supertest';
import type { Asked, World } from '../../support/cloud.ts';

/** Hosts as `--hosts 3` has them, and tokens without Keystone. */
export const config = { auth: 'noauth2', hosts: '3' } as const;

export { member, reader, someone } from '../../support/people.ts';

/** A request below v2.1; without a version, at 2.1. */
export function ask(world: World, method: string, path: string, asked: Asked = {}): supertest.Test {
  return world.ask('compute', method, `/compute/v2.1${path}`, asked);
}

/** Expects a fault in Compute's envelope. */
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

/** A new flavor of which only what matters is said. */
export const flavorOf = (fields: object): object => ({
  flavor: { name: 'f', ram: 64, vcpus: 1, disk: 0, ...fields },
});
