// Tests of the runner of one database, with a database that answers when the test wants it to.
import { expect } from 'chai';
import { yieldToEventLoop } from '../../../src/kernel/clock.ts';
import type { Database } from '../../../src/kernel/db/database.ts';
import { DatabaseJobRunner } from '../../../src/kernel/jobs/runner.ts';
import type { Cloud, Region } from '../../../src/kernel/model.ts';
import { noon } from '../../support/cloud.ts';

describe('a runner that is woken while it polls', () => {
  it('polls again, because it may have missed a job', async () => {
    const polls: ((rows: readonly object[]) => void)[] = [];
    const methods = ['whereNull', 'whereNotNull', 'where', 'select', 'orderBy', 'limit'];
    const query: Record<string, unknown> = {
      ...Object.fromEntries(methods.map((method) => [method, () => query])),
      toSQL: () => ({ bindings: [] }),
    };
    const queryBuilder = () =>
      new Promise<readonly object[]>((resolve) => void polls.push(resolve));
    const client = { driverName: 'none' };
    const db = Object.assign(() => query, { raw: () => '', client, queryBuilder });
    const database = { kind: 'mysql', name: 'RegionOne', db };
    const runner = new DatabaseJobRunner(database as unknown as Database);
    const pass = runner.run({} as Cloud, {} as Region, noon);
    while (!polls.length) await yieldToEventLoop();
    runner.wake();
    polls[0]!([]);
    while (polls.length < 2) await yieldToEventLoop();
    polls[1]!([]);
    await pass;
    expect(polls).to.have.length(2);
  });
});
