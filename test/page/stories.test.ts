// Tests of the stories of the page: each runs to its end, and leaves the cloud as it was.
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import type { Story } from '../../src/stories/model.ts';
import { stories } from '../../src/stories/stories.ts';
import { startEmulator, type Emulator } from '../support/processes.ts';
import { findingsOf, hasBrowser, openTab, openView, startBrowser, type Tab } from './browser.ts';
import { OtherClient } from './client.ts';

/** What the view that shows the result of each step has. */
const seen: Readonly<Record<string, readonly string[]>> = {
  'no-host': ['No decision is explained yet', 'DISK_GB', 'to fit', 'more requests fit'],
  'next-week': ['next-week', 'reservable-1 is reserved by', 'the-week-after', 'the-week-after'],
  scale: ['az1: has 2', 'grow-by-two', 'best effort cuts 9 to 6'],
  pods: ['Core', 'Core is the best of 3', 'maintenance', 'Edge1 is the best of 2'],
  production: ['Journal', 'servers:detail', '503', 'flaky-network'],
};

describe('the stories of the page', () => {
  let browser: Browser;
  let emulator: Emulator;
  let tab: Tab;

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

  const start = async (flags: readonly string[]): Promise<void> => {
    emulator = await startEmulator(['--database', 'memory:', ...flags]);
    tab = await openTab(browser);
    await openView(tab.page, emulator.origin, 'tour');
  };

  const press = (name: string): Promise<void> =>
    tab.page.getByRole('button', { name, exact: true }).click();

  const begin = ({ title, preset }: Story): Promise<void> =>
    tab.page
      .locator(`section[aria-label="${title}"]`)
      .getByRole('button', { name: `Begin on ${preset}` })
      .click();

  const step = (index: number, { steps }: Story): Promise<void> =>
    tab.page.getByText(`Step ${index + 1} of ${steps.length}`).waitFor();

  for (const story of stories)
    it(`tell ${story.name}, and restore the cloud at its end`, async () => {
      const { name, preset, firstRegion, steps } = story;
      await start(firstRegion === undefined ? ['--hosts', '1'] : ['--preset', preset]);
      await new OtherClient(emulator.origin).send('POST', '/_emulator/hosts', { name: 'mine' });
      await begin(story);
      for (const [index, { requests = [] }] of steps.entries()) {
        await step(index, story);
        await press(requests.length ? 'Take the step' : 'Show it');
        await tab.page
          .locator('main > :not(.story)', { hasText: seen[name]![index]! })
          .first()
          .waitFor();
        if (index < steps.length - 1) await press('Next step');
      }
      await press('End the story');
      await press('Restore the cloud');
      await tab.page.locator('.story').waitFor({ state: 'detached' });
      await openView(tab.page, emulator.origin, 'hosts?host=mine');
      await tab.page.getByRole('heading', { name: 'mine' }).waitFor();
    });

  it('go on when the page is loaded again', async () => {
    await start([]);
    const story = stories.find(({ name }) => name === 'no-host')!;
    await begin(story);
    await press('I have taken it');
    await step(1, story);
    await tab.page.reload();
    await step(1, story);
  });

  it('say why the reply to a step is not the expected one, and let the reader go on', async () => {
    await start([]);
    const story = stories.find(({ name }) => name === 'no-host')!;
    await begin(story);
    await press('I have taken it');
    await press('Take the step'); // the flavor of the first step is missing
    await tab.page.locator('.story .failed').waitFor();
    await press('End the story');
    await press('Go on');
    await step(1, story);
  });

  it('leave a story that needs other regions to a cloud of its own', async () => {
    await start([]);
    await tab.page.getByText('npx cumulet tour pods').waitFor();
    expect(await tab.page.getByText('Begin on edge-sites').count()).to.equal(0);
  });

  it('have no finding of axe in the middle of a story, and fit on a phone', async () => {
    await start([]);
    const { page } = tab;
    await begin(stories[0]!);
    await press('Take the step');
    await press('End the story');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findingsOf(page)).to.deep.equal([]);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(390);
  });
});
