// Tests of requests that race a due job, such as the end of an operation that another request has
// started.
import { expect } from 'chai';
import type { Server } from 'node:http';
import supertest from 'supertest';
import { SECOND } from '../../../src/kernel/clock.ts';
import { conflict, notFound } from '../../../src/kernel/errors.ts';
import { ok } from '../../../src/kernel/http/reply.ts';
import { serverFor } from '../../../src/kernel/http/server.ts';
import { schedule } from '../../../src/kernel/jobs/queue.ts';
import type { ServiceDefinition, Cloud, Handler } from '../../../src/kernel/model.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { toy, withToy } from '../toy.ts';

onEachDatabase('request that races a due job', { auth: 'noauth2' }, (world) => {
  let server: Server;
  /** The handlers and jobs that ran, in order. */
  let done: string[];
  /** Whether the job has run. */
  let ended: boolean;

  /**
   * A service whose request finds that another request, after this one's check for due jobs, has
   * scheduled a job at `dueAt`.
   */
  function begin(dueAt: number, handle: Handler, fields: Partial<ServiceDefinition> = {}): void {
    let cloud: Cloud;
    const meanwhile = async (): Promise<void> => {
      await schedule(cloud.firstRegion.database.db, { dueAt, kind: 'toy.end', subject: '' });
      cloud.firstRegion.jobs.wake();
    };
    const handler: Handler = (call) => {
      done.push(ended ? `${call.method} after` : `${call.method} before`);
      return handle(call);
    };
    const jobs = {
      'toy.end': () => {
        ended = true;
        done.push('end');
        return Promise.resolve();
      },
    };
    const routes = ['GET', 'POST'].map((method) => ({ method, path: '/thing', handler }));
    cloud = withToy(world.cloud, toy(routes, { beforeRouting: [meanwhile], jobs, ...fields }));
    server = serverFor({ cloud }).listen(0, '127.0.0.1');
  }

  const refuse: Handler = () => {
    if (!ended) throw conflict('It is being ended.');
    return ok({ toy: 'It has ended.' });
  };

  const ask = (method: 'get' | 'post'): supertest.Test => supertest(server)[method]('/toy/thing');

  beforeEach(() => {
    done = [];
    ended = false;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('is retried after the job if it writes and fails', async () => {
    begin(noon, refuse);
    await ask('post').expect(200, { toy: 'It has ended.' });
    expect(done).to.deep.equal(['POST before', 'end', 'POST after']);
  });

  it('returns the error of the retry', async () => {
    begin(noon, () => {
      throw ended ? notFound('It is gone.') : conflict('It is being ended.');
    });
    await ask('post').expect(404, { toy: 'It is gone.' });
    expect(done).to.deep.equal(['POST before', 'end', 'POST after']);
  });

  it('is not retried if the job is due later', async () => {
    begin(noon + SECOND, refuse);
    await ask('post').expect(409, { toy: 'It is being ended.' });
    expect(done).to.deep.equal(['POST before']);
  });

  it('returns the error if the job fails', async () => {
    const fails = (): Promise<void> => Promise.reject(new Error('the job fails'));
    begin(noon, refuse, { jobs: { 'toy.end': fails } });
    await ask('post').expect(409, { toy: 'It is being ended.' });
    expect(done).to.deep.equal(['POST before', 'POST before']);
  });

  it('is not retried if it only reads', async () => {
    begin(noon, refuse);
    await ask('get').expect(409);
    expect(done).to.deep.equal(['GET before']);
  });

  it('is not retried if it succeeds', async () => {
    begin(noon, () => ok({}));
    await ask('post').expect(200);
    expect(done).to.deep.equal(['POST before']);
  });

  it('runs after the job if it has acquired a lock', async () => {
    begin(noon, () => ok({}), { lock: 'toy' });
    await ask('post').expect(200);
    expect(done).to.deep.equal(['end', 'POST after']);
  });

  it('returns 404, and not 400, for a volume that is deleted concurrently', async () => {
    server = serverFor({ cloud: world.cloud }).listen(0, '127.0.0.1');
    const { body } = await world.ask('volume', 'POST', '/volume/v3/volumes', {
      body: { volume: { size: 1 } },
    });
    const path = `/volume/v3/volumes/${(body as { volume: { id: string } }).volume.id}`;
    await world.ask('volume', 'GET', path).expect(200);
    const answers = await Promise.all([1, 2, 3].map(() => world.ask('volume', 'DELETE', path)));
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([202, 404, 404]);
  });
});
