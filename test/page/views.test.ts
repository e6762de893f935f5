// Tests of every view of the page in a browser: on several presets, without findings of axe, and
// with names of tenants that look like markup.
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { startEmulator, type Emulator } from '../support/processes.ts';
import { findingsOf, hasBrowser, openTab, openView, startBrowser } from './browser.ts';
import { OtherClient } from './client.ts';

/** The titles of the views, by their part of the address. */
const views: Readonly<Record<string, string>> = {
  '': 'Overview',
  hosts: 'Hosts and providers',
  why: 'Why',
  leases: 'Leases',
  clusters: 'Clusters',
  pods: 'Pods',
  network: 'Network and storage',
  requests: 'Requests',
  states: 'States',
  api: 'API',
  tour: 'Tour',
};

describe('the views of the page', () => {
  let browser: Browser;
  before(async function () {
    if (!hasBrowser()) return this.skip();
    browser = await startBrowser();
  });
  after(() => browser?.close());

  for (const preset of [
    'empty',
    'three-zones',
    'reserved',
    'autoscaling',
    'edge-sites',
    'large-full',
  ])
    describe(`of the preset ${preset}`, () => {
      let emulator: Emulator;
      before(async () => {
        emulator = await startEmulator(['--preset', preset, '--database', 'memory:']);
      });
      after(() => emulator.stop());

      if (preset === 'reserved')
        for (const theme of ['light', 'dark'] as const)
          it(`have no finding of axe with leases, ${theme}`, async () => {
            const { page, close } = await openTab(browser, { theme });
            await openView(page, emulator.origin, 'leases');
            expect(await findingsOf(page)).to.deep.equal([]);
            await close();
          });

      for (const [view, title] of Object.entries(views))
        it(`show ${title} without an error`, async () => {
          const { page, problems, close } = await openTab(browser);
          await openView(page, emulator.origin, view);
          expect(await page.textContent('main h1')).to.equal(title);
          expect(await page.locator('.failed').allTextContents()).to.deep.equal([]);
          expect(problems).to.deep.equal([]);
          await close();
        });
    });

  describe('of a cloud with names like markup', () => {
    const name = '<img src=x onerror="document.title=1">';
    let emulator: Emulator;
    let server: string;

    before(async () => {
      emulator = await startEmulator([
        '--preset',
        'three-zones',
        '--database',
        'memory:',
        '--journal',
        '100',
      ]);
      const client = new OtherClient(emulator.origin);
      await client.signIn();
      await client.send('PUT', '/_emulator/explain', { all: true });
      await client.send('PUT', '/_emulator/snapshots/start');
      [server = ''] = await client.createServers(name, 1);
      await client.send('POST', '/placement/resource_providers', { name }, 'placement 1.39');
      await client.send('GET', `/compute/v2.1/servers?name=${encodeURIComponent(name)}`);
      await client.send('POST', '/_emulator/faults', {
        match: { service: 'image', path: `/${name}` },
        effect: { status: 503 },
      });
    });
    after(() => emulator.stop());

    const paths = (): readonly string[] => [
      '',
      `hosts?host=${encodeURIComponent(name)}&q=${encodeURIComponent(name)}`,
      `why?id=${server}&find=${encodeURIComponent('<img')}`,
      'leases',
      'requests?id=4',
      'states?restore=start&from=start',
      'tour',
    ];

    it('show the names as text', async () => {
      let seen = 0;
      for (const path of paths()) {
        const { page, problems, close } = await openTab(browser);
        await openView(page, emulator.origin, path);
        expect(await page.locator('main img').count(), path).to.equal(0);
        expect(await page.title()).to.match(/Cumulet$/);
        expect(problems).to.deep.equal([]);
        seen += await page.getByText('<img src=x').count();
        await close();
      }
      expect(seen).to.be.greaterThan(3);
    });

    for (const theme of ['light', 'dark'] as const)
      for (const width of [1440, 390])
        it(`have no finding of axe, ${theme} at ${width} pixels`, async () => {
          const found: string[] = [];
          for (const path of paths()) {
            const { page, close } = await openTab(browser, { theme, width });
            await openView(page, emulator.origin, path);
            found.push(...(await findingsOf(page)).map((finding) => `${path}: ${finding}`));
            await close();
          }
          expect(found).to.deep.equal([]);
        });

    it('never scroll sideways on a phone', async () => {
      for (const path of paths()) {
        const { page, close } = await openTab(browser, { width: 390 });
        await openView(page, emulator.origin, path);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect(width, path).to.equal(390);
        await close();
      }
    });
  });
});
