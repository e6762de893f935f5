// Questions that people bring to the page, each answered in at most three clicks from the overview.
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { startEmulator, type Emulator } from '../support/processes.ts';
import { hasBrowser, openTab, openView, startBrowser, type Tab } from './browser.ts';
import { OtherClient } from './client.ts';

describe('a question at the page', () => {
  let browser: Browser;
  let emulator: Emulator;
  let client: OtherClient;
  let tab: Tab;
  let clicks: number;

  before(async function () {
    if (!hasBrowser()) return this.skip();
    browser = await startBrowser();
  });
  after(() => browser?.close());
  beforeEach(() => {
    clicks = 0;
  });
  afterEach(async () => {
    expect(tab.problems).to.deep.equal([]);
    await tab.close();
    await emulator.stop();
  });

  const start = async (...flags: readonly string[]): Promise<void> => {
    emulator = await startEmulator(['--database', 'memory:', '--journal', '100', ...flags]);
    client = new OtherClient(emulator.origin);
    await client.signIn();
  };
  const open = async (): Promise<void> => {
    tab = await openTab(browser);
    await openView(tab.page, emulator.origin, '');
  };
  const click = async (name: RegExp): Promise<void> => {
    clicks++;
    await tab.page.getByRole('link', { name }).first().click();
  };
  /** The answer, which must be on the page as text. */
  const sees = async (text: RegExp, { within }: { within: number }): Promise<void> => {
    await tab.page.locator('main').getByText(text).first().waitFor();
    expect(clicks).to.be.at.most(within);
  };

  it('why is vm7 in ERROR?', async () => {
    await start('--preset', 'three-zones');
    await client.createServers('vm', 6);
    await client.send('POST', '/compute/v2.1/flavors', {
      flavor: { name: 'huge', vcpus: 1, ram: 512, disk: 5000 },
    });
    await client.createServers('vm7', 1, { flavor: 'huge' });
    await open();
    await click(/^Why\? .*vm7/);
    await sees(/at most 1000 DISK_GB/, { within: 1 });
  });

  it('when can 10 hosts be had?', async () => {
    await start('--preset', 'reserved', '--hosts', '1');
    for (let host = 1; host <= 6; host++) {
      await client.send('POST', '/_emulator/hosts', { name: `more-${host}` });
      await client.send('POST', '/reservation/v1/os-hosts', { name: `more-${host}` });
    }
    await open();
    await click(/^Leases$/);
    clicks++;
    await tab.page.getByRole('textbox', { name: 'Hosts' }).fill('10');
    await sees(/9 of 10 hosts are free/, { within: 2 });
    await sees(/It fits from/, { within: 2 });
  });

  it('which policy cut the scale-out?', async () => {
    await start('--preset', 'autoscaling');
    const { clusters } = await client.send<{ clusters: { id: string }[] }>(
      'GET',
      '/clustering/v1/clusters?global_project=true&name=web',
    );
    await client.send('POST', `/clustering/v1/clusters/${clusters[0]!.id}/actions`, {
      scale_out: { count: 10 },
    });
    await open();
    await click(/^Why\? .*web/);
    await sees(/grow-by-two/, { within: 1 });
    await sees(/best effort cuts 10 to 8/, { within: 1 });
  });

  it('where is this tenant bound, and since when?', async () => {
    await start('--preset', 'edge-sites');
    await open();
    await click(/^Pods$/);
    await tab.page
      .locator('tr', { hasText: 'shop' })
      .getByText(/Edge1 since 20\d\d-/)
      .waitFor();
    expect(clicks).to.equal(1);
  });

  it('what did the client ask wrongly?', async () => {
    await start('--preset', 'three-zones');
    await client.send('POST', '/compute/v2.1/servers', { server: { name: 'a', flavour: '1' } });
    await open();
    await click(/^Why\? 400 servers:create/);
    await sees(/flavour/, { within: 1 });
  });
});
