// Starts Debian's Chromium, and opens the page of an emulator in it.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const executablePath = '/usr/bin/chromium';

/** Whether the browser is installed: `apt-get install chromium`. */
export const hasBrowser = (): boolean => existsSync(executablePath);

/** Starts a browser without a window that sends nothing of its own. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

/** How a page is opened. */
export interface Opened {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly locale?: string;
  /** What the browser answers to challenges of the type Basic. */
  readonly credentials?: { readonly username: string; readonly password: string };
}

/** A page of a browser, with what went wrong in it. */
export interface Tab {
  readonly page: Page;
  /** Errors of scripts, and violations of the Content-Security-Policy. */
  readonly problems: readonly string[];
  readonly close: () => Promise<void>;
}

/** Opens a new tab with a profile of its own. */
export async function openTab(
  browser: Browser,
  { theme = 'light', width = 1440, height = 900, locale = 'en-GB', credentials }: Opened = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale,
    ...(credentials ? { httpCredentials: credentials } : {}),
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    if (/Content.Security.Policy|Refused to/i.test(text)) problems.push(text);
  });
  return { page, problems, close: () => context.close() };
}

/** Opens a view, and waits until it has its data. */
export async function openView(page: Page, origin: string, path: string): Promise<void> {
  await page.goto(`${origin}/_emulator/ui/${path}`);
  await page.waitForSelector('main h1');
  await page.waitForSelector('.connection.good');
  await page.locator('.loading').first().waitFor({ state: 'detached' });
}

/** The findings of axe: rules of WCAG 2.2 AA, and where they are broken. */
export async function findingsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
    };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await axe.run({ runOnly: { type: 'tag', values: tags } });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
    );
  });
}
