// Tests of how the page follows the cloud: writes of another client, a reset, a restart, and the
// control token.
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { startEmulator, type Emulator } from '../support/processes.ts';
import { hasBrowser, openTab, startBrowser, type Tab } from './browser.ts';
import { OtherClient } from './client.ts';

describe('the open page', () => {
  let browser: Browser;
  let emulator: Emulator;
  let client: OtherClient;
  let tab: Tab;

  before(async function () {
    if (!hasBrowser()) return this.skip();
    browser = await startBrowser();
  });
  after(() => browser?.close());

  const start = async (flags: readonly string[], path = ''): Promise<void> => {
    emulator = await startEmulator(['--database', 'memory:', ...flags]);
    client = new OtherClient(emulator.origin);
    tab = await openTab(browser);
    await tab.page.goto(`${emulator.origin}/_emulator/ui/${path}`);
  };
  afterEach(async () => {
    expect(tab.problems).to.deep.equal([]);
    await tab.close();
    await emulator.stop();
  });

  const isLive = (): Promise<unknown> => tab.page.waitForSelector('.connection.good');

  it('shows requests of another client as they arrive, and none of its own', async () => {
    await start(['--journal', '100'], 'requests');
    await isLive();
    await client.signIn();
    await client.send('GET', '/compute/v2.1/servers');
    const row = tab.page.locator('tbody tr', { hasText: 'servers:list' });
    await row.waitFor();
    expect(await tab.page.locator('[aria-label="Requests"] tbody tr').count()).to.equal(2);
  });

  it('shows a new server on its host', async () => {
    await start(['--hosts', '1'], 'hosts?host=compute-1');
    await isLive();
    await client.signIn();
    await client.createServers('newcomer', 1);
    await tab.page.locator('[aria-label="Servers"] td', { hasText: 'newcomer' }).first().waitFor();
  });

  it('says that the cloud was reset, and shows the new state', async () => {
    await start(['--hosts', '1']);
    await isLive();
    await client.send('POST', '/_emulator/hosts', { name: 'added' });
    await tab.page.locator('.host-cell', { hasText: 'added' }).waitFor();
    await client.send('POST', '/_emulator/reset', {});
    await tab.page.getByText('The cloud has been reset or restored.').waitFor();
    await tab.page.locator('.host-cell', { hasText: 'added' }).waitFor({ state: 'detached' });
  });

  it('says that the emulator is gone, and goes on after a restart', async () => {
    await start(['--hosts', '1']);
    await isLive();
    const { port } = new URL(emulator.origin);
    await emulator.kill();
    await tab.page.getByText('The page shows what it last saw').waitFor();
    emulator = await startEmulator(['--database', 'memory:', '--hosts', '2', '--port', port]);
    await tab.page.getByText('The emulator has restarted.').waitFor();
    await tab.page.locator('.host-cell', { hasText: 'compute-2' }).waitFor();
  });

  it('asks for the control token, and keeps it in memory only', async () => {
    await start(['--control-token', 'open sesame', '--admin-password', 'own']);
    await tab.page.getByLabel('Token').fill('wrong');
    await tab.page.getByRole('button', { name: 'Open' }).click();
    await tab.page.getByText('This is not the token of the emulator.').waitFor();
    await tab.page.getByLabel('Token').fill('open sesame');
    await tab.page.getByRole('button', { name: 'Open' }).click();
    await isLive();
    await tab.page.locator('.host-cell').first().waitFor();
    await tab.page.reload();
    await tab.page.getByLabel('Token').waitFor();
    expect(await tab.page.evaluate('JSON.stringify(localStorage)')).not.to.include('sesame');
  });
});
