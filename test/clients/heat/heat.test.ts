// Tests Heat on top of the emulator: stacks with every type of resource that the emulator serves.
import { expect } from 'chai';
import { fileURLToPath } from 'node:url';
import { readCaseFiles, type Case } from '../cases.ts';
import { startClients, type Clients } from '../clients.ts';
import { startEmulator, type Emulator } from '../../support/processes.ts';
import { takeInventory, type Inventory } from './inventory.ts';
import { hasHeat, startHeat, type Orchestration } from './orchestration.ts';
import { exceptionsFor, untriedTypes, uselessExceptions } from './resource-types.ts';

const folder = new URL('./', import.meta.url);
const [installation] = readCaseFiles(new URL('installation/', folder));

describe('Heat', function () {
  this.timeout(300_000);
  let emulator: Emulator;
  let heat: Orchestration;
  let clients: Clients;
  let earlier: Inventory;

  /** Runs a case. It may name the folder of the templates, and the addresses of both servers. */
  async function run(one: Case): Promise<void> {
    const names = {
      templates: fileURLToPath(new URL('templates', folder)),
      heat: heat.origin,
      cloud: emulator.origin,
    };
    const authUrl = `${emulator.origin}/identity/v3`;
    const outcome = await clients.run({ ...one, let: { ...names, ...one.let } }, authUrl);
    if (outcome.failure !== undefined) expect.fail(`${outcome.failure}\n${heat.errors()}`);
  }

  before(async function () {
    if (!hasHeat()) return this.skip();
    const started = await startClients();
    if (typeof started === 'string') return this.skip();
    clients = started;
    emulator = await startEmulator(['--database', 'memory:', '--hosts', '2']);
    await allowDownloads(emulator.origin);
    heat = await startHeat(`${emulator.origin}/identity/v3`);
    for (const one of installation!.cases) await run(one);
  });
  after(async () => {
    clients?.stop();
    await heat?.stop();
    await emulator?.stop();
  });

  for (const file of readCaseFiles(new URL('stacks/', folder)))
    describe(file.about, () => {
      beforeEach(async () => void (earlier = await takeInventory(emulator.origin)));
      afterEach(async () => {
        expect(await takeInventory(emulator.origin)).to.deep.equal(earlier);
        expect(await auditOf(emulator.origin)).to.deep.equal([]);
      });

      for (const one of file.cases) it(one.name, () => run(one));
    });

  it('offers no type of resource that is in no template, but for exceptions', async () => {
    const untried = await untriedTypes(emulator.origin, heat.origin);
    expect(untried.filter((type) => exceptionsFor(type).length === 0)).to.deep.equal([]);
    expect(uselessExceptions(untried)).to.deep.equal([]);
  });
});

/** Lets images be downloaded from the emulator, whose port Glance does not allow by default. */
async function allowDownloads(origin: string): Promise<void> {
  const reply = await fetch(`${origin}/_emulator/image/settings`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ allowed_hosts: ['127.0.0.1'], allowed_ports: [] }),
  });
  expect(reply.status).to.equal(200);
}

/** What the audit of a cloud finds inconsistent. */
async function auditOf(origin: string): Promise<readonly unknown[]> {
  const reply = await fetch(`${origin}/_emulator/audit`);
  const { audit } = (await reply.json()) as { audit: { inconsistencies: unknown[] } };
  return audit.inconsistencies;
}
