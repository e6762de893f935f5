// A suite of tempest against a started server: every module of its plan is a test.
import { assert } from 'chai';
import { startServer, type Server } from '../server.ts';
import { fillIn, readPlan, startTempest, type Excuse, type Plan, type Result, type Tempest } from './tempest.ts';

/** @param prepare makes what the tests want in the cloud at an address, and names it for the plan's configuration */
export function declareSuite(
  title: string,
  planFile: string,
  prepare: (origin: string) => Promise<Record<string, string>>,
): void {
  describe(title, () => declareTests(readPlan(planFile), prepare));
}

function declareTests(plan: Plan, prepare: (origin: string) => Promise<Record<string, string>>): void {
  const all: Result[] = [];
  let server: Server | undefined;
  let tempest: Tempest | undefined;

  before(async function () {
    const started = await startTempest();
    if (typeof started === 'string') {
      console.log(`    tempest is not run: ${started}`);
      return this.skip();
    }
    tempest = started;
    server = await startServer(plan.flags);
    const origin = server.authUrl.replace(/\/identity\/v3$/, '');
    await tempest.configure(fillIn(plan.config, await prepare(origin)), plan.movesClock ? origin : undefined);
    console.log(`    tempest ${tempest.version}`);
  });

  after(async () => {
    tempest?.stop();
    await server?.stop();
    const count = (outcome: Result['outcome']): number => all.filter((one) => one.outcome === outcome).length;
    if (all.length)
      console.log(`    ${count('passed')} passed, ${count('skipped')} skipped by tempest, ${count('failed')} failed`);
  });

  for (const module of plan.modules) {
    it(module.replace('tempest.', ''), async function () {
      const results = await tempest!.run(module);
      if (!results) return this.skip(); // other releases have it
      all.push(...results);
      const unexplained = results.filter(
        (one) => one.outcome === 'failed' && !plan.excused.some((excuse) => isAbout(excuse, one)),
      );
      assert(!unexplained.length, unexplained.map(({ test, message }) => `${test}\n${message.slice(-3000)}`).join('\n\n'));
    });
  }

  it('passes what nothing is excused for any more', () => {
    const needless = plan.excused.filter((excuse) => {
      const about = all.filter((one) => isAbout(excuse, one));
      return about.length && about.every(({ outcome }) => outcome === 'passed');
    });
    assert.deepEqual(needless, []);
  });
}

const isAbout = (excuse: Excuse, { test }: Result): boolean => test === excuse.test || test.startsWith(`${excuse.test}.`);
