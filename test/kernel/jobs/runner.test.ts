// Tests of the runner of one database, with a database that answers when the test wants it to.
import { expect } from 'chai';
import type { Database } from '../../../src/kernel/db/database.ts';
import { DatabaseJobRunner } from '../../../src/kernel/jobs/runner.ts';
import type { Cloud, Region } from '../../../src/kernel/model.ts';
import { noon } from '../../support/cloud.ts';

describe('a runner that is woken while it polls', () => {
  it('polls again before the next request, because it may have missed a job', async () => {
    const polls: ((row?: object) => void)[] = [];
    const query = {
      whereNull: () => query,
      orderBy: () => query,
      first: () => new Promise((resolve) => polls.push(resolve)),
    };
    const database = { kind: 'mysql', name: 'RegionOne', db: () => query };
    const runner = new DatabaseJobRunner(database as unknown as Database);
    const run = () => runner.run({} as Cloud, {} as Region, noon);
    const first = run();
    runner.wake();
    polls[0]!();
    await first;
    const second = run();
    expect(polls).to.have.length(2);
    polls[1]!();
    await second;
  });
});
