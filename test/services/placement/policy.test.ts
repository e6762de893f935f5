// Policy: the default rules, and policy files that replace them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { placementPolicy } from '../../../src/services/placement/policy.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { senderFor, consumer, expectRefusal, newest, provider } from './helpers.ts';

const one = provider(1);

/** Every operation that has a policy rule, with the rule. */
const operations: readonly (readonly [line: string, rule: string, body?: unknown])[] = [
  ['GET /resource_providers', 'resource_providers:list'],
  ['POST /resource_providers', 'resource_providers:create', {}],
  [`GET /resource_providers/${one}`, 'resource_providers:show'],
  [`PUT /resource_providers/${one}`, 'resource_providers:update', {}],
  [`DELETE /resource_providers/${one}`, 'resource_providers:delete'],
  ['GET /resource_classes', 'resource_classes:list'],
  ['POST /resource_classes', 'resource_classes:create', {}],
  ['GET /resource_classes/CUSTOM_A', 'resource_classes:show'],
  ['PUT /resource_classes/CUSTOM_A', 'resource_classes:update'],
  ['DELETE /resource_classes/CUSTOM_A', 'resource_classes:delete'],
  [`GET /resource_providers/${one}/inventories`, 'resource_providers:inventories:list'],
  [`POST /resource_providers/${one}/inventories`, 'resource_providers:inventories:create', {}],
  [`PUT /resource_providers/${one}/inventories`, 'resource_providers:inventories:update', {}],
  [`DELETE /resource_providers/${one}/inventories`, 'resource_providers:inventories:delete'],
  [`GET /resource_providers/${one}/inventories/VCPU`, 'resource_providers:inventories:show'],
  [`PUT /resource_providers/${one}/inventories/VCPU`, 'resource_providers:inventories:update', {}],
  [`DELETE /resource_providers/${one}/inventories/VCPU`, 'resource_providers:inventories:delete'],
  [`GET /resource_providers/${one}/aggregates`, 'resource_providers:aggregates:list'],
  [`PUT /resource_providers/${one}/aggregates`, 'resource_providers:aggregates:update', {}],
  [`GET /resource_providers/${one}/usages`, 'resource_providers:usages'],
  [`GET /resource_providers/${one}/traits`, 'resource_providers:traits:list'],
  [`PUT /resource_providers/${one}/traits`, 'resource_providers:traits:update', {}],
  [`DELETE /resource_providers/${one}/traits`, 'resource_providers:traits:delete'],
  ['GET /traits', 'traits:list'],
  ['GET /traits/CUSTOM_A', 'traits:show'],
  ['PUT /traits/CUSTOM_A', 'traits:update'],
  ['DELETE /traits/CUSTOM_A', 'traits:delete'],
  [`GET /allocations/${consumer(1)}`, 'allocations:list'],
  ['POST /allocations', 'allocations:manage', {}],
  [`PUT /allocations/${consumer(1)}`, 'allocations:update', {}],
  [`DELETE /allocations/${consumer(1)}`, 'allocations:delete'],
  [`GET /resource_providers/${one}/allocations`, 'resource_providers:allocations:list'],
  ['GET /allocation_candidates?resources=VCPU:1', 'allocation_candidates:list'],
  ['GET /usages?project_id=ours', 'usages'],
  ['POST /reshaper', 'reshaper:reshape', {}],
];

const admin = { token: 'admin' };
const service = { token: 'nova', headers: { 'x-roles': 'service' } };
const reader = { token: 'me:ours', headers: { 'x-roles': 'member,reader' } };
const nobody = { token: 'me:ours' };

const folders: string[] = [];

/** Creates a directory with a policy file for Placement. */
function rulesFolder(rules: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-rules-'));
  folders.push(folder);
  writeFileSync(join(folder, 'placement.yaml'), JSON.stringify(rules));
  return folder;
}

const allRules = Object.keys(placementPolicy).filter((name) => name.startsWith('placement:'));
const legacy = rulesFolder({ 'placement:reshaper:reshape': 'role:admin or role:service' });
const open = rulesFolder(Object.fromEntries(allRules.map((name) => [name, '@'])));
const closed = rulesFolder({
  'placement:traits:list': '!',
  'placement:usages': 'user_id:%(user_id)s or role:auditor',
});
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

it('Placement: every policy rule has an operation in this list', () => {
  expect(new Set(operations.map(([, rule]) => `placement:${rule}`))).to.deep.equal(
    new Set(allRules),
  );
});

onEachDatabase('Placement: default policy', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const allowed = async (line: string, who: object, body?: unknown): Promise<boolean> =>
    (await send(line, newest, { ...who, ...(body === undefined ? {} : { body }) })).status !== 403;

  for (const [line, rule, body] of operations) {
    const serviceOnly = rule === 'reshaper:reshape';
    const readers = rule === 'usages' ? ', and readers of the project' : '';
    const users = serviceOnly ? 'only services' : `admins and services${readers}`;
    it(`${line} allows ${users}`, async () => {
      expect(await allowed(line, service, body), 'service').to.equal(true);
      expect(await allowed(line, admin, body), 'admin').to.equal(!serviceOnly);
      expect(await allowed(line, reader, body), 'reader').to.equal(rule === 'usages');
      expect(await allowed(line, nobody, body), 'nobody').to.equal(false);
      const refused = await send(line, newest, {
        ...nobody,
        ...(body === undefined ? {} : { body }),
      });
      expectRefusal(refused, 403, `Policy does not allow placement:${rule} to be performed.`);
    });
  }

  it("returns 403 with only the rule's name for a system-scoped token", async () => {
    const system = { token: 'admin', headers: { 'openstack-system-scope': 'all' } };
    for (const [line, rule] of [
      ['GET /resource_providers', 'resource_providers:list'],
      ['GET /usages?project_id=ours', 'usages'],
    ] as const) {
      expectRefusal(await send(line, newest, system), 403, `placement:${rule}`);
    }
  });

  it('takes roles from X-Roles, in any case, even for the admin user', async () => {
    await send('GET /traits', newest, { token: 'me', headers: { 'x-roles': 'Admin' } }).expect(200);
    await send('GET /traits', newest, {
      token: 'me',
      headers: { 'x-roles': 'member, service' },
    }).expect(200);
    await send('GET /traits', newest, { token: 'admin:ours' }).expect(200);
    await send('GET /traits', newest, { token: 'admin', headers: { 'x-roles': 'reader' } }).expect(
      403,
    );
  });

  it('shows readers only the usages of their own project', async () => {
    await send('GET /usages?project_id=ours', newest, reader).expect(200);
    await send('GET /usages?project_id=ours', newest, { ...reader, token: 'ours' }).expect(200);
    expectRefusal(
      await send('GET /usages?project_id=theirs', newest, reader),
      403,
      'Policy does not allow placement:usages to be performed.',
    );
  });

  it('is enforced before the query of usages is validated', async () => {
    for (const query of ['', '?project_id=', '?project_id=theirs&other=1'])
      expectRefusal(
        await send(`GET /usages${query}`, newest, reader),
        403,
        'Policy does not allow placement:usages to be performed.',
      );
    expectRefusal(
      await send('GET /usages', newest, admin),
      400,
      /'project_id' is a required property/,
    );
  });

  it('takes the project from X-Project-Id, except for a system-scoped token', async () => {
    const headers = { 'x-roles': 'reader', 'x-project-id': 'named' };
    await send('GET /usages?project_id=named', newest, { token: 'me:ours', headers }).expect(200);
    await send('GET /usages?project_id=ours', newest, { token: 'me:ours', headers }).expect(403);
    await send('GET /usages?project_id=named', newest, {
      token: 'me',
      headers: { ...headers, 'openstack-system-scope': 'all' },
    }).expect(403);
  });
});

onEachDatabase(
  'Placement: policy files with rules of older releases',
  { auth: 'noauth2', policyDir: legacy },
  (world) => {
    it('allow admins and services to reshape', async () => {
      const send = senderFor(world);
      for (const who of [admin, service])
        await send('POST /reshaper', newest, { ...who, body: {} }).expect(400);
      await send('POST /reshaper', newest, { ...reader, body: {} }).expect(403);
      await send('GET /traits', newest, reader).expect(403);
    });
  },
);

onEachDatabase(
  'Placement: policy files that allow everything',
  { auth: 'noauth2', policyDir: open },
  (world) => {
    it('allow every operation for every user', async () => {
      for (const [line, , body] of operations) {
        const { status } = await senderFor(world)(line, newest, {
          ...nobody,
          ...(body === undefined ? {} : { body }),
        });
        expect(status, line).to.not.equal(403);
      }
    });
  },
);

onEachDatabase(
  'Placement: policy files with custom rules',
  { auth: 'noauth2', policyDir: closed },
  (world) => {
    it('replace the defaults of single rules', async () => {
      const send = senderFor(world);
      expectRefusal(
        await send('GET /traits', newest, admin),
        403,
        'Policy does not allow placement:traits:list to be performed.',
      );
      await send('GET /traits/HW_CPU_X86_VMX', newest, admin).expect(204);
      await send('GET /usages?project_id=theirs', newest, {
        token: 'me',
        headers: { 'x-roles': 'auditor' },
      }).expect(200);
      await send('GET /usages?project_id=theirs', newest, admin).expect(403);
    });
  },
);
