// Tests Horizon on top of the emulator: whoever uses its panels sees no alarm.
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { hasBrowser, openTab, startBrowser, type Tab } from '../../page/browser.ts';
import { startEmulator, type Emulator } from '../../support/processes.ts';
import { hasDashboard, startDashboard, type Dashboard } from './dashboard.ts';
import { allowSingleSignOn } from './federation.ts';
import { Visitor } from './visitor.ts';

describe('Horizon', function () {
  this.timeout(900_000);
  let browser: Browser;
  let emulator: Emulator;
  let dashboard: Dashboard;
  let tab: Tab;
  let visitor: Visitor;

  before(async function () {
    if (!hasBrowser() || !hasDashboard()) return this.skip();
    emulator = await startEmulator(['--database', 'memory:', '--hosts', '2']);
    dashboard = await startDashboard(`${emulator.origin}/identity/v3`);
    await allowSingleSignOn(emulator, dashboard.origin);
    browser = await startBrowser();
    tab = await openTab(browser, { locale: 'en-US' });
    visitor = new Visitor(tab.page, dashboard.origin);
    await visitor.signIn('admin', 'secret');
  });
  after(async () => {
    await browser?.close();
    await dashboard?.stop();
    await emulator?.stop();
  });
  afterEach(function () {
    expect(tab.problems).to.deep.equal([]);
    if (this.currentTest?.state === 'failed') console.log(dashboard.errors());
  });

  it('launches a server, shows its console and its log, and takes a snapshot', async () => {
    const { page } = visitor;
    await visitor.open('/project/instances/');
    await page.getByText('Launch Instance', { exact: true }).first().click();
    await page.locator('input[name=name]').fill('web');
    for (const [step, name] of [
      ['Source', 'cirros'],
      ['Flavor', 'm1.tiny'],
    ] as const) {
      await page.locator('.wizard-nav a', { hasText: step }).click();
      const row = page.locator('.step:not(.ng-hide) .transfer-available tr', { hasText: name });
      await row.first().locator('button').last().click();
    }
    await page.locator('.modal-footer .btn-primary').last().click();
    await visitor.waitFor('web', 'Active');
    await visitor.choose('web', 'Console');
    const frame = page.frameLocator('#console_embed');
    await frame.getByRole('heading', { name: 'web' }).waitFor();
    const screen = await frame.locator('pre').innerText();
    await visitor.expectNoAlarm('console');
    await visitor.open('/project/instances/');
    await visitor.choose('web', 'View Log');
    const log = await page.locator('pre.logs').innerText();
    expect(log.trim()).to.not.equal('');
    expect(screen.trim()).to.equal(log.trim());
    await visitor.open('/project/instances/');
    await visitor.choose('web', 'Create Snapshot');
    await visitor.submit({ name: 'web-snapshot' });
    await visitor.open('/project/images/');
    await visitor.waitFor('web-snapshot', 'Active');
  });

  it('creates a volume in a group, backs it up and restores the backup', async () => {
    const { page } = visitor;
    await visitor.open('/admin/group_types/');
    await visitor.press('Create Group Type');
    await visitor.submit({ name: 'kind' });
    await visitor.open('/project/volume_groups/');
    await visitor.press('Create Group');
    await page.getByText('Manage Volume Types', { exact: true }).click();
    const types = page.locator('.available_members > ul', { hasText: 'lvmdriver-1' });
    await types.locator('a[href="#add_remove"]').click();
    await page.locator('.modal.in').getByText('Group Information').click();
    await visitor.submit({ name: 'pair', group_type: 'kind' });
    await visitor.open('/project/volumes/');
    await visitor.press('Create Volume');
    await visitor.submit({ name: 'data', group: 'pair' });
    await visitor.waitFor('data', 'Available');
    await visitor.choose('data', 'Create Backup');
    await visitor.submit({ name: 'copy' });
    await visitor.open('/project/backups/');
    await visitor.waitFor('copy', 'Available');
    await visitor.choose('copy', 'Restore Backup');
    await visitor.submit({});
    await visitor.open('/project/volume_groups/');
    await visitor.choose('pair', 'Create Snapshot');
    await visitor.submit({ name: 'both' });
    await visitor.open('/project/vg_snapshots/');
    await visitor.waitFor('both', 'Available');
  });

  it('imports and edits metadata definitions', async () => {
    const { page } = visitor;
    const namespace = {
      namespace: 'Cumulet::Paint',
      display_name: 'Paint',
      resource_type_associations: [{ name: 'OS::Glance::Image' }],
      properties: { colour: { title: 'Colour', type: 'string' } },
    };
    await visitor.open('/admin/metadata_defs/');
    await visitor.press('Import Namespace');
    await visitor.submit({
      source_type: 'Direct Input',
      direct_input: JSON.stringify(namespace),
    });
    await visitor.choose('Paint', 'Edit Namespace');
    await page.locator('.modal.in label[for=id_public]').click();
    await visitor.submit({});
    await visitor.waitFor('Paint', 'Yes');
    await visitor.choose('Paint', 'Update Associations');
    const type = page.locator('.available_members > ul', { hasText: 'OS::Nova::Flavor' });
    await type.locator('input[type=checkbox]').check();
    await visitor.submit({});
    await visitor.waitFor('Paint', 'OS::Nova::Flavor');
  });

  it('edits an image and its metadata', async () => {
    const { page } = visitor;
    await visitor.open('/project/images/');
    await visitor.choose('cirros', 'Edit Image');
    await page.locator('.modal input[name=name]').fill('small');
    await page.locator('.modal-footer .btn-primary').last().click();
    await visitor.expectSuccess();
    await visitor.waitFor('small', 'Active');
    await visitor.choose('small', 'Update Metadata');
    await page.locator('.modal').getByText('CPU Mode').waitFor();
    await page.locator('.modal input[name=customItem]').fill('shape');
    await page.locator('.modal input[name=customItem] + .input-group-btn button').click();
    await page.locator('.modal li', { hasText: 'shape' }).locator('input').last().fill('round');
    await page.locator('.modal-footer .btn-primary').last().click();
    await page.locator('.modal-dialog').waitFor({ state: 'detached' });
    await visitor.expectNoAlarm('metadata');
    await visitor.open('/project/images/');
    await visitor.row('small').locator('a').first().click();
    await page.getByText('round', { exact: true }).waitFor();
    await visitor.expectNoAlarm('image');
  });

  it('shares a network with a project', async () => {
    await visitor.open('/admin/rbac_policies/');
    await visitor.press('Create RBAC Policy');
    await visitor.submit({
      target_tenant: 'demo',
      action_object_type: 'Shared Network',
      network_id: 'private',
    });
    await visitor.waitFor('demo', 'private');
  });

  for (const choice of ['partner', 'openid'])
    it(`signs a user of a provider in by the choice ${choice}`, async () => {
      const ann = await openTab(browser, {
        locale: 'en-US',
        credentials: { username: 'ann', password: 'pw' },
      });
      const guest = new Visitor(ann.page, dashboard.origin);
      await guest.signInBy(choice);
      expect(await guest.projects()).to.deep.equal(['partners']);
      expect(ann.problems).to.deep.equal([]);
      await ann.close();
    });

  it('opens every panel', async () => {
    const panels = await visitor.panels();
    expect(panels.length).to.be.greaterThan(40);
    for (const path of panels) await visitor.open(path);
  });
});
