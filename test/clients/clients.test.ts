// The real command line clients against a started server: every case of every case file is a test.
import { assert } from 'chai';
import { readCaseFiles, type Case } from './cases.ts';
import { startClients, type Clients } from './clients.ts';
import { startServer, type Server } from './server.ts';

describe('clients', function () {
  const files = readCaseFiles();
  const called = new Set<string>();
  const untried = new Set<Case>(files.flatMap((file) => file.cases));
  let server: Server | undefined;
  let clients: Clients | undefined;

  before(async function () {
    const started = await startClients();
    if (typeof started === 'string') {
      console.log(`    the command line clients are not tried: ${started}`);
      this.skip();
    }
    clients = started;
    server = await startServer();
  });

  after(async () => {
    clients?.stop();
    await server?.stop();
  });

  for (const file of files) {
    describe(`${file.name}: ${file.about}`, () => {
      for (const one of file.cases) {
        it(one.name, async function () {
          assert(clients !== undefined && server !== undefined);
          const outcome = await clients.run(one, server.authUrl);
          untried.delete(one);
          for (const name of outcome.called) called.add(name);
          if (outcome.skipped !== undefined) {
            console.log(`      ${outcome.skipped}:`);
            this.skip();
          }
          if (outcome.failure !== undefined) assert.fail(outcome.failure);
        });
      }
    });
  }

  for (const plugin of ['placement', 'clustering', 'reservation'] as const) {
    describe(`the ${plugin} plugin`, () => {
      it('has no command that no case tries', function () {
        assert(clients !== undefined);
        if (untried.size > 0) this.skip();
        assert.deepEqual(
          clients.hello[plugin].filter((name) => !called.has(name)),
          [],
        );
      });
    });
  }
});
