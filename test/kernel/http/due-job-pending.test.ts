// Tests of requests that come between another request and the job that ends what that one has
// begun.
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

onEachDatabase('a request that comes before what is due is done', { auth: 'noauth2' }, (world) => {
  let server: Server;
  /** What was done, in its order. */
  let done: string[];
  /** Whether the job has come to its end. */
  let ended: boolean;

  /**
   * A service of which a request finds that another one, which came after it had settled, has begun
   * something that ends then.
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

  it('is done again after it, where it writes and is refused', async () => {
    begin(noon, refuse);
    await ask('post').expect(200, { toy: 'It has ended.' });
    expect(done).to.deep.equal(['POST before', 'end', 'POST after']);
  });

  it('is refused as it is then, where that is another refusal', async () => {
    begin(noon, () => {
      throw ended ? notFound('It is gone.') : conflict('It is being ended.');
    });
    await ask('post').expect(404, { toy: 'It is gone.' });
    expect(done).to.deep.equal(['POST before', 'end', 'POST after']);
  });

  it('stays refused, where that is due later only', async () => {
    begin(noon + SECOND, refuse);
    await ask('post').expect(409, { toy: 'It is being ended.' });
    expect(done).to.deep.equal(['POST before']);
  });

  it('stays refused, where that cannot be done', async () => {
    const fails = (): Promise<void> => Promise.reject(new Error('the job fails'));
    begin(noon, refuse, { jobs: { 'toy.end': fails } });
    await ask('post').expect(409, { toy: 'It is being ended.' });
    expect(done).to.deep.equal(['POST before', 'POST before']);
  });

  it('stays refused, where it only reads', async () => {
    begin(noon, refuse);
    await ask('get').expect(409);
    expect(done).to.deep.equal(['GET before']);
  });

  it('is done once, where it is not refused', async () => {
    begin(noon, () => ok({}));
    await ask('post').expect(200);
    expect(done).to.deep.equal(['POST before']);
  });

  it('is done after it, where it has waited for a turn', async () => {
    begin(noon, () => ok({}), { lock: 'toy' });
    await ask('post').expect(200);
    expect(done).to.deep.equal(['end', 'POST after']);
  });

  it('finds a volume gone that another deletes at the same time, and not on its way', async () => {
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
