// Uses Horizon as a person does: signs in, opens panels, presses buttons and fills in forms.
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';

/** Values of a form's fields, by the names of the fields. */
export type Fields = Readonly<Record<string, string>>;

/** How long the page may take, in milliseconds: other work may occupy the machine for a minute. */
const patience = 120_000;

/** Messages of Horizon that something went wrong. */
const alarms = '.alert-danger, .alert-warning, .alert-error, .toast-error';

export class Visitor {
  readonly page: Page;
  private readonly origin: string;

  constructor(page: Page, origin: string) {
    this.page = page;
    this.origin = origin;
    page.setDefaultTimeout(patience);
  }

  async signIn(name: string, password: string): Promise<void> {
    const { page } = this;
    await page.goto(`${this.origin}/auth/login/`);
    await page.fill('#id_username', name);
    await page.fill('#id_password', password);
    await page.click('#loginBtn');
    await this.settle();
  }

  /** Signs in by a choice of the form, which leads to another page and back. */
  async signInBy(choice: string): Promise<void> {
    const { page } = this;
    await page.goto(`${this.origin}/auth/login/`);
    await page.selectOption('#id_auth_type', choice, { force: true });
    await page.click('#loginBtn');
    await page.waitForSelector('#sidebar');
    await this.settle();
  }

  /** The names of the projects that the user can choose. */
  async projects(): Promise<string[]> {
    await this.open('/identity/');
    const names = await this.page.locator('#tenants tbody tr td:nth-child(2)').allInnerTexts();
    return names.map((name) => name.trim());
  }

  /** Opens a panel. Expects that it shows no alarm. */
  async open(path: string): Promise<void> {
    const reply = await this.page.goto(`${this.origin}${path}`);
    expect(reply?.status(), path).to.equal(200);
    await this.settle();
    await this.expectNoAlarm(path);
  }

  /** The paths of all panels that the menu links to. */
  async panels(): Promise<string[]> {
    const links = this.page.locator('#sidebar a[href^="/"]');
    const paths = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')!));
    return [...new Set(paths)];
  }

  /** The row of a table whose name is this. */
  row(name: string): Locator {
    return this.page.locator('tr', { hasText: name }).first();
  }

  /** Presses an action above a table, and waits for its form. */
  async press(name: string): Promise<void> {
    await this.page.locator('.table_actions').getByText(name, { exact: true }).first().click();
    await this.page.waitForSelector('.modal.in');
    await this.settle();
  }

  /** Chooses an action of a row, which may be in its menu. */
  async choose(name: string, action: string): Promise<void> {
    const row = this.row(name);
    const button = row.getByText(action, { exact: true }).first();
    if (!(await button.isVisible())) await row.locator('.dropdown-toggle').last().click();
    await button.click();
    await this.settle();
  }

  /** Fills in the form that is open, and sends it. Expects a message of success. */
  async submit(fields: Fields): Promise<void> {
    const form = this.page.locator('.modal.in form').last();
    for (const [name, value] of Object.entries(fields)) {
      const field = form.locator(`[name="${name}"]`).first();
      const isList = (await field.evaluate((one) => one.tagName)) === 'SELECT';
      // Horizon hides lists behind buttons of its own.
      if (isList) await field.selectOption({ label: value }, { force: true });
      else await field.fill(value);
    }
    // Earlier messages stay until the page is loaded again.
    await this.page.locator('.alert').evaluateAll((all) => all.forEach((one) => one.remove()));
    await form.locator('input[type=submit], button[type=submit]').last().click();
    await this.expectSuccess();
  }

  async expectSuccess(): Promise<void> {
    const done = this.page.locator('.alert-success, .alert-info, .toast-success').first();
    const failed = this.page.locator(`${alarms}, .has-error .help-block`).first();
    await done.or(failed).first().waitFor();
    await this.expectNoAlarm('form');
    await this.settle();
  }

  async expectNoAlarm(where: string): Promise<void> {
    const texts = await this.page.locator(`${alarms}, .has-error .help-block`).allInnerTexts();
    expect(
      texts.filter((text) => text.trim() !== ''),
      where,
    ).to.deep.equal([]);
  }

  /** Waits until a row has a text, which Horizon asks for again and again. */
  async waitFor(name: string, text: string): Promise<void> {
    await this.row(name).filter({ hasText: text }).waitFor();
  }

  private settle(): Promise<void> {
    return this.page.waitForLoadState('networkidle');
  }
}
