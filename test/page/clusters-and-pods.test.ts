// Tests of what the page does with clusters and pods: previews, actions, and what it follows.
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { startEmulator, type Emulator } from '../support/processes.ts';
import { hasBrowser, openTab, startBrowser, type Tab } from './browser.ts';
import { OtherClient } from './client.ts';

describe('the page', () => {
  let browser: Browser;
  let emulator: Emulator;
  let client: OtherClient;
  let tab: Tab;
  let page: Page;

  before(async function () {
    if (!hasBrowser()) return this.skip();
    browser = await startBrowser();
  });
  after(() => browser?.close());
  afterEach(async () => {
    expect(tab.problems).to.deep.equal([]);
    await tab.close();
    await emulator.stop();
  });

  const open = async (preset: string, path: string): Promise<void> => {
    emulator = await startEmulator(['--preset', preset, '--database', 'memory:']);
    client = new OtherClient(emulator.origin);
    await client.signIn();
    tab = await openTab(browser);
    ({ page } = tab);
    await page.goto(`${emulator.origin}/_emulator/ui/${path}`);
    await page.waitForSelector('.connection.good');
  };
  const press = (name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).first().click();
  const command = (text: string): Promise<void> =>
    page.locator('.done code', { hasText: text }).first().waitFor();

  it('previews an action on a cluster, takes it, and undoes it', async () => {
    await open('autoscaling', 'clusters?cluster=web');
    await page.locator('.aside', { hasText: '4 nodes' }).waitFor();
    await page.getByRole('combobox', { name: /^Action/ }).selectOption('scale out');
    await page.getByLabel('Nodes', { exact: true }).fill('3');
    await page.getByText('CLUSTER_SCALE_OUT would start 3 actions of nodes.').waitFor();
    await page.getByText('az1: has 2, should have 3.5 by its weight 200').waitFor();
    const { clusters } = await client.send<{ clusters: { name: string; nodes: unknown[] }[] }>(
      'GET',
      '/clustering/v1/clusters?global_project=true',
    );
    expect(clusters.find(({ name }) => name === 'web')?.nodes).to.have.lengthOf(4);

    await press('Scale out');
    await command('openstack cluster expand --count 3');
    await page.locator('.aside', { hasText: '7 nodes' }).waitFor();
    await page.locator('td', { hasText: 'CLUSTER_SCALE_OUT' }).first().waitFor();

    await press('Undo');
    await command('openstack cluster resize --capacity 4');
    await page.locator('.aside', { hasText: '4 nodes' }).waitFor();
  });

  it('says why an action on a cluster would be refused', async () => {
    await open('autoscaling', 'clusters?cluster=batch&do=scale+out&count=99');
    await page.locator('.preview', { hasText: 'max_size (10)' }).waitFor();
  });

  it('shows each region under its own name', async () => {
    await open('edge-sites', 'hosts');
    await page.locator('.top select').first().selectOption('Core');
    await page.locator('.aside', { hasText: '6 trees' }).waitFor();
    await page.locator('.top select').first().selectOption('Edge4');
    await page.locator('.aside', { hasText: '1 tree' }).waitFor();
    expect(page.url()).to.include('region=Edge4');
  });

  it('maintains a pod, and follows the bindings of tenants', async () => {
    await open('edge-sites', 'pods');
    const row = page.getByRole('row', { name: /^Core / });
    await row.getByText('in service').waitFor();
    await page.getByRole('button', { name: 'Begin maintenance of Core' }).click();
    await command('"is_under_maintenance":true');
    await row.locator('.status', { hasText: 'maintenance' }).waitFor();

    await client.send('PUT', '/_emulator/explain', { all: true });
    await client.createServers('edge', 1, { prefix: '/CentralRegion', flavor: 'm1.tiny' });
    await page.getByRole('rowheader', { name: 'admin' }).waitFor();
    await page.locator('a.bar.active', { hasText: 'Edge' }).nth(1).waitFor();

    await page.locator('td', { hasText: /^Edge\d is the best of \d suitable pods/ }).waitFor();

    await press('Undo');
    await row.getByText('in service').waitFor();
  });
});
