// Tests of the buttons of the page: what they do in the cloud, and that they can be undone.
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { startEmulator, type Emulator } from '../support/processes.ts';
import { hasBrowser, openTab, startBrowser, type Tab } from './browser.ts';
import { OtherClient } from './client.ts';

describe('the buttons of the page', () => {
  let browser: Browser;
  let emulator: Emulator;
  let client: OtherClient;
  let tab: Tab;
  let page: Page;

  before(async function () {
    if (!hasBrowser()) return this.skip();
    browser = await startBrowser();
    emulator = await startEmulator(['--database', 'memory:', '--hosts', '2']);
    client = new OtherClient(emulator.origin);
  });
  after(async () => {
    await browser?.close();
    await emulator?.stop();
  });
  beforeEach(async () => {
    await client.send('POST', '/_emulator/reset', {});
    await client.signIn();
    tab = await openTab(browser);
    ({ page } = tab);
  });
  afterEach(async () => {
    expect(tab.problems).to.deep.equal([]);
    await tab.close();
  });

  const open = async (path: string): Promise<void> => {
    await page.goto(`${emulator.origin}/_emulator/ui/${path}`);
    await page.waitForSelector('.connection.good');
  };
  const press = (name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).first().click();
  const command = (text: string): Promise<void> =>
    page.locator('.done code', { hasText: text }).first().waitFor();
  const keep = async (): Promise<unknown> =>
    (await client.send<{ keep?: number }>('GET', '/_emulator/requests')).keep;

  it('switch the journal on, and off again by Undo', async () => {
    await client.send('PUT', '/_emulator/requests', { keep: 0 });
    await open('requests');
    await press('Record requests');
    await command('requests keep 1000');
    expect(await keep()).to.equal(1000);
    await press('Undo');
    await command('requests keep 0');
    expect(await keep()).to.equal(undefined);
  });

  it('make the next request like one fail', async () => {
    await client.send('PUT', '/_emulator/requests', { keep: 100 });
    await client.send('GET', '/compute/v2.1/flavors');
    await open('requests');
    await page.locator('tr', { hasText: 'flavors:list' }).first().click();
    await press('Fail the next one like this');
    await command('/_emulator/faults');
    const reply = (): Promise<object> => client.send('GET', '/compute/v2.1/flavors');
    expect(await reply()).not.to.have.property('flavors');
    expect(await reply()).to.have.property('flavors');
    await page.locator('td', { hasText: '1 of 1' }).waitFor();
    await press('Remove');
    await page.getByText('No fault rule').waitFor();
  });

  it('reserve hosts when they are free, and give them back by Undo', async () => {
    await client.send('POST', '/_emulator/reset', { preset: 'reserved' });
    await client.signIn();
    const names = async (): Promise<readonly string[]> =>
      (
        await client.send<{ leases: { name: string }[] }>('GET', '/reservation/v1/leases')
      ).leases.map(({ name }) => name);
    const before = (await names()).length;
    await open('leases?hosts=5&start=%2B7d');
    await page.getByText('2 of 5 hosts are free').waitFor();
    await press('Start then');
    await press('Reserve');
    await command('reservation lease create');
    expect((await names()).filter((name) => name.startsWith('5 hosts from')).length).to.equal(1);
    await press('Undo');
    await command('reservation lease delete');
    expect((await names()).length).to.equal(before);
  });

  it('explain every decision', async () => {
    await client
      .createServers('many', 1, { fields: { availability_zone: 'nowhere' } })
      .catch(() => []);
    await open('why');
    await press('Explain every decision');
    await command('/_emulator/explain');
    await client.createServers('placed', 1);
    await page.getByText('The server is on').first().waitFor();
  });

  it('answer a query of candidates as one types', async () => {
    await open('hosts');
    await page.getByLabel('Query of allocation candidates').fill('resources=VCPU:1000');
    await page.getByText('0 candidates from 0 of 2 provider trees.').waitFor();
    await page.locator('td', { hasText: 'allocates at most' }).first().waitFor();
    expect(page.url()).to.include('q=resources%3DVCPU%3A1000');
    await page.locator('tr', { hasText: 'compute-1' }).first().click();
    await page.getByText('to fit').first().waitFor();
  });

  it('save, compare and restore a snapshot, and list first what a restore takes back', async () => {
    await open('states');
    await page.getByLabel('Name').fill('start');
    await press('Save');
    await command('snapshot save start');
    await client.send('POST', '/_emulator/hosts', { name: 'added' });
    await press('Restore…');
    await page.getByText('A restore takes them back').waitFor();
    await page.getByText('placement providers').first().waitFor();
    await press('Restore');
    await command('snapshot restore start');
    const hosts = async (): Promise<number> =>
      (await client.send<{ hosts: object[] }>('GET', '/_emulator/hosts')).hosts.length;
    expect(await hosts()).to.equal(2);
    await press('Undo');
    await page.getByText('The state before the restore is back.').waitFor();
    expect(await hosts()).to.equal(3);
  });

  it('move the clock, and list before what is due on the way', async () => {
    await client.send('PUT', '/_emulator/clock', { now: '2026-11-20T12:00:00Z', frozen: true });
    await open('leases');
    await press('+ 1 day');
    await page.getByText('Nothing is due on the way').waitFor();
    await press('Advance to 2026-11-21 12:00');
    await command('/_emulator/clock/advance');
    const now = async (): Promise<string> =>
      (await client.send<{ now: string }>('GET', '/_emulator/clock')).now;
    expect(await now()).to.equal('2026-11-21T12:00:00.000000Z');
    await press('Undo');
    await page.getByText('The clock and the state before are back.').waitFor();
    expect(await now()).to.equal('2026-11-20T12:00:00.000000Z');
    await press('Let it run');
    await page.getByRole('button', { name: 'Freeze', exact: true }).waitFor();
  });

  it('reset the cloud, and bring the state before back by Undo', async () => {
    await client.send('POST', '/_emulator/hosts', { name: 'added' });
    await open('states');
    await press('Reset the cloud');
    await command('cumulet reset');
    await press('Undo');
    await page.getByText('The state before the reset is back.').waitFor();
    const { hosts } = await client.send<{ hosts: object[] }>('GET', '/_emulator/hosts');
    expect(hosts).to.have.length(3);
  });

  it('keep the filters in the address, and go back with the browser', async () => {
    await client.send('PUT', '/_emulator/requests', { keep: 100 });
    await open('requests?status=4xx');
    expect(await page.getByLabel('Status').inputValue()).to.equal('4xx');
    await page.keyboard.press('g');
    await page.keyboard.press('2');
    await page.getByRole('heading', { level: 1, name: 'Hosts and providers' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    expect(page.url()).to.include('status=4xx');
  });
});
