// Starts Debian's Chromium, and opens the page of an emulator in it.
import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

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
  { theme = 'light', width = 1440, height = 900 }: Opened = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
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
