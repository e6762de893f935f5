// Blazar's own tests for tempest against a started server, with an accelerated clock and, where there is time, at real speed.
import { assert } from 'chai';
import { startServer, type Server } from '../server.ts';
import { prepare } from '../tempest/prepare.ts';
import { fillIn, readPlan, startTempest, type Result, type Tempest } from './tempest.ts';

const folder = process.env['CUMULET_TEST_BLAZAR_TEMPEST'];

for (const speed of ['an accelerated clock', 'a clock at real speed'] as const)
  describe(`blazar-tempest-plugin with ${speed}`, function () {
    const plan = readPlan();
    const all: Result[] = [];
    const isReal = speed === 'a clock at real speed';
    let server: Server | undefined;
    let tempest: Tempest | undefined;

    before(function () {
      const lacking = folder === undefined ? 'CUMULET_TEST_BLAZAR_TEMPEST names no folder with it' : isReal && !process.env['CUMULET_TEST_REAL_TIME'] ? 'it takes some ten minutes: CUMULET_TEST_REAL_TIME=1' : undefined; // prettier-ignore
      if (lacking === undefined) return;
      console.log(`    blazar-tempest-plugin is not run: ${lacking}`);
      this.skip();
    });

    /** Each module has a cloud of its own: the gabbi files count hosts and leases. */
    const start = async (): Promise<Tempest> => {
      server = await startServer(plan.flags);
      const origin = server.authUrl.replace(/\/identity\/v3$/, '');
      const env = { BLAZAR_TEMPEST_PLUGIN: folder!, ORIGIN: origin, ...(isReal ? {} : { ACCELERATED: '1' }) };
      const started = await startTempest(env);
      assert(typeof started !== 'string', String(started));
      await started.configure(fillIn(plan.config, await prepare(origin)));
      return started;
    };

    afterEach(async () => {
      tempest?.stop();
      await server?.stop();
      server = tempest = undefined;
    });

    after(() => {
      const count = (outcome: Result['outcome']): number => all.filter((one) => one.outcome === outcome).length;
      if (all.length) console.log(`    ${count('passed')} passed, ${count('skipped')} skipped, ${count('failed')} failed`);
    });

    for (const module of plan.modules)
      it(module.replace('blazar_tempest_plugin.tests.', ''), async function () {
        this.timeout(1_200_000);
        tempest = await start();
        const results = await tempest.run(module);
        assert(results?.length, `There is no module ${module}, or nothing in it.`);
        all.push(...results);
        const failed = results.filter(({ outcome }) => outcome === 'failed');
        assert(!failed.length, failed.map(({ test, message }) => `${test}\n${message.slice(-3000)}`).join('\n\n'));
      });
  });
