// Tests of what one service asks of another within a request.
import { expect } from 'chai';
import { ok, type Call } from '../../src/kernel/http/reply.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { askWithin, neighbourPrefix } from '../../src/kernel/http/inward.ts';
import type { Route, Service } from '../../src/kernel/http/service.ts';
import { toy } from './toy.ts';

const seen = (call: Call): unknown => ({
  service: call.service.card.name,
  prefix: call.prefix,
  at: call.at.name,
  id: call.params['id'],
  query: call.query.entries(),
  body: call.body,
  caller: call.caller,
  db: call.db,
});

const routes: readonly Route[] = [
  { method: 'GET', path: '/things/:id', handler: (call) => ok(seen(call)) },
  { method: 'POST', path: '/things', span: ['1.1'], handler: (call) => ok(seen(call)) },
];

const other = toy(routes);
const asking = toy([], { name: 'asking', prefix: '/asking' });

const callOf = (prefix: string, services: readonly Service[] = [asking, other]): Call =>
  ({
    cloud: { services },
    service: asking,
    prefix,
    caller: 'somebody',
    db: 'a transaction',
    headers: { 'x-own': '1' },
  }) as unknown as Call;

describe('asking another service within a request', () => {
  it('goes to its route with query and parameters, for the same caller in the same transaction', async () => {
    const asked = { method: 'GET', path: '/things/a%20b', query: [['x', 'y&z']] as const, version: '1.0' };
    expect((await askWithin(callOf('/R/asking'), other.card, asked)).body).to.deep.equal({
      service: 'toy',
      prefix: '/R/toy',
      at: '1.0',
      id: 'a b',
      query: [['x', 'y&z']],
      body: undefined,
      caller: 'somebody',
      db: 'a transaction',
    });
  });

  it('sends a body through the checks of the other, at its newest version', async () => {
    const asked = { method: 'POST', path: '/things', body: { a: 1 } };
    expect((await askWithin(callOf('/asking'), other.card, asked)).body).to.deep.include({ at: '1.10', body: { a: 1 } });
  });

  it('fails with what the other refuses', async () => {
    const refused = async (asked: Parameters<typeof askWithin>[2]): Promise<unknown> =>
      askWithin(callOf('/asking'), other.card, asked).catch((error: unknown) => error);
    expect(await refused({ method: 'GET', path: '/nothing' }))
      .to.be.instanceOf(Fault)
      .with.property('status', 404);
    expect(await refused({ method: 'POST', path: '/things', body: {}, version: '1.0' })).to.have.property('status', 404);
  });
});

describe('where a neighbour is', () => {
  it('is beside the service, in its region or at its root', () => {
    expect(neighbourPrefix(callOf('/asking'), '/toy')).to.equal('/toy');
    expect(neighbourPrefix(callOf('/RegionTwo/asking'), '/toy')).to.equal('/RegionTwo/toy');
    expect(neighbourPrefix(callOf(''), '/toy')).to.equal('/toy');
  });
});
