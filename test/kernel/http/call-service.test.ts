// Tests of calls from one service to another, from a request and from a job.
import { expect } from 'chai';
import { isInDatabase, transact } from '../../../src/kernel/db/transaction.ts';
import { ApiError, badRequest, conflict } from '../../../src/kernel/errors.ts';
import { callService, servicePrefix } from '../../../src/kernel/http/call-service.ts';
import { ok } from '../../../src/kernel/http/reply.ts';
import type { Call, Cloud, Context, Interceptor, Route } from '../../../src/kernel/model.ts';
import {
  inCentralTransaction,
  inRegionTransaction,
  systemContext,
  contextWith,
} from '../../../src/kernel/context.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { toy } from '../toy.ts';

const seen = (call: Call): unknown => ({
  service: call.service.definition.name,
  prefix: call.prefix,
  at: call.version.name,
  id: call.params['id'],
  query: call.query.entries(),
  body: call.body,
  attempt: call.attempt,
  user: call.caller?.userId,
  isCentral: isInDatabase(call.db, call.cloud.central),
});

const routes: readonly Route[] = [
  { method: 'GET', path: '/things/:id', handler: (call) => ok(seen(call)) },
  { method: 'POST', path: '/things', span: ['1.1'], handler: (call) => ok(seen(call)) },
  {
    method: 'PUT',
    path: '/things/:id',
    handler: async (call) => {
      await call.db('cumulet_secrets').insert({ name: call.params['id'], value: '' });
      return ok({});
    },
  },
];

const failing: Route = {
  method: 'GET',
  path: '/failing',
  handler: () => {
    throw conflict('failing');
  },
};

const other = toy([...routes, failing]);
const central = toy(routes, { name: 'high', prefix: '/high', database: 'central' });
const asking = toy([], { name: 'asking', prefix: '/asking' });

onEachDatabase('callService', { regions: ['RegionOne', 'RegionTwo'] }, (world) => {
  let cloud: Cloud;
  let context: Context;
  const region = () => cloud.regions.get('RegionTwo')!;

  beforeEach(() => {
    cloud = { ...world.cloud, services: [...world.cloud.services, asking, other, central] };
    const actor = {
      userId: 'somebody',
      projectId: 'p',
      roles: ['member'],
      isAdmin: false,
      isService: false,
      credentials: { roles: ['member'] },
    };
    context = contextWith(systemContext(cloud, region(), region().database.db, noon, 3), { actor });
  });

  /** A client's request to the service `asking`. */
  const callOf = (prefix: string): Context =>
    ({
      ...context,
      service: asking,
      prefix,
      origin: 'http://here',
      headers: { 'x-own': '1' },
    }) as unknown as Call;

  it('passes query, parameters, actor, transaction and attempt to the route', async () => {
    const request = {
      method: 'GET',
      path: '/things/a%20b',
      query: [['x', 'y&z']] as const,
      version: '1.0',
    };
    expect((await callService(callOf('/R/asking'), other.definition, request)).body).to.deep.equal({
      service: 'toy',
      prefix: '/R/toy',
      at: '1.0',
      id: 'a b',
      query: [['x', 'y&z']],
      body: undefined,
      attempt: 3,
      user: 'somebody',
      isCentral: false,
    });
  });

  it('works from a job, with the prefix of the catalog', async () => {
    const { body } = await callService(context, other.definition, {
      method: 'GET',
      path: '/things/1',
    });
    expect(body).to.deep.include({ prefix: '/RegionTwo/toy', user: 'somebody', attempt: 3 });
  });

  it('validates a body by the contract of the other service, at its newest version', async () => {
    const request = { method: 'POST', path: '/things', body: { a: 1 } };
    expect((await callService(context, other.definition, request)).body).to.deep.include({
      at: '1.10',
      body: { a: 1 },
    });
  });

  it('throws the error of the other service', async () => {
    const refused = async (request: Parameters<typeof callService>[2]): Promise<unknown> =>
      callService(context, other.definition, request).catch((error: unknown) => error);
    expect(await refused({ method: 'GET', path: '/nothing' }))
      .to.be.instanceOf(ApiError)
      .with.property('status', 404);
    expect(
      await refused({ method: 'POST', path: '/things', body: {}, version: '1.0' }),
    ).to.have.property('status', 404);
  });

  it('shows the reply or the error to the observers, marked as a call between services', async () => {
    const observed: string[] = [];
    cloud.observers.push(
      ({ service }, { status }, _milliseconds, source) =>
        void observed.push(`${source} ${service?.definition.name} ${status}`),
    );
    try {
      await callService(context, other.definition, { method: 'GET', path: '/things/1' });
      await callService(context, other.definition, { method: 'GET', path: '/failing' }).catch(
        () => undefined,
      );
      expect(observed).to.deep.equal(['service toy 200', 'service toy 409']);
    } finally {
      cloud.observers.pop();
    }
  });

  it('lets an interceptor refuse the call, and shows the refusal to the observers', async () => {
    const observed: number[] = [];
    const refusing: Interceptor = {
      aroundHandler: (_request, next) => next(),
      beforeServiceCall: (_context, call) => {
        throw badRequest(`refused ${call().path}`);
      },
    };
    const intercepted: Cloud = {
      ...cloud,
      interceptors: [refusing],
      observers: [(_request, { status }) => void observed.push(status)],
    };
    const refused = await callService({ ...context, cloud: intercepted }, other.definition, {
      method: 'GET',
      path: '/things/1',
    }).catch((error: Error) => error.message);
    expect(refused).to.equal('refused /things/1');
    expect(observed).to.deep.equal([400]);
  });

  it('commits the writes of a central service even if the transaction of the region rolls back', async () => {
    const undone = transact(region().database.db, async (db) => {
      const { body } = await callService({ ...context, db }, central.definition, {
        method: 'GET',
        path: '/things/1',
      });
      expect(body).to.deep.include({ isCentral: true, attempt: 1 });
      await callService({ ...context, db }, central.definition, {
        method: 'PUT',
        path: '/things/kept',
      });
      throw badRequest('undone');
    });
    expect(await undone.catch((error: Error) => error.message)).to.equal('undone');
    expect(await cloud.central.db('cumulet_secrets').where({ name: 'kept' }).delete()).to.equal(1);
  });

  it('throws for a service of a region in a central context, except within inRegionTransaction', async () => {
    const request = { method: 'GET', path: '/things/1' };
    const refused = inCentralTransaction(context, (inner) =>
      callService(inner, other.definition, request),
    );
    expect(await refused.catch((error: Error) => error.message)).to.contain('inRegion');
    const { body } = await inRegionTransaction(context, region(), (inner) =>
      callService(inner, other.definition, request),
    );
    expect(body).to.deep.include({ isCentral: false });
  });

  it('derives the prefix of the other service from the path of the request', () => {
    expect(servicePrefix(callOf('/asking'), '/toy')).to.equal('/toy');
    expect(servicePrefix(callOf('/RegionTwo/asking'), '/toy')).to.equal('/RegionTwo/toy');
    expect(servicePrefix(callOf(''), '/toy')).to.equal('/toy');
    expect(servicePrefix({ ...context, region: cloud.firstRegion }, '/toy')).to.equal('/toy');
  });
});
