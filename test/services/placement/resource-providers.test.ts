// Providers one by one: made, shown, renamed, deleted. Lists and trees have files of their own.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  asking,
  claim,
  consumer,
  expectRefusal,
  makeProvider,
  newest,
  provider,
} from './makers.ts';

const links = (uuid: string, ...rels: string[]): object[] => [
  { rel: 'self', href: `/placement/resource_providers/${uuid}` },
  ...rels.map((rel) => ({ rel, href: `/placement/resource_providers/${uuid}/${rel}` })),
];

onEachDatabase('Placement: providers', { auth: 'noauth2' }, (world) => {
  const ask = asking(world);
  const one = provider(1);
  const post = (body: unknown, version = newest) =>
    ask('POST /resource_providers', version, { body });

  describe('POST /resource_providers', () => {
    it('answers 201 and nothing but a location, before 1.20', async () => {
      const { headers, text } = await post({ name: 'host', uuid: one }, '1.19').expect(201);
      expect(headers['location']).to.match(
        new RegExp(`^http://127\\.0\\.0\\.1:\\d+/placement/resource_providers/${one}$`),
      );
      expect(text).to.equal('');
      expect(headers['content-length']).to.equal('0');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
    });

    it('answers 200 with the provider since 1.20', async () => {
      const { headers, body } = await post({ name: 'host', uuid: one }, '1.20').expect(200);
      expect(headers['location']).to.match(new RegExp(`/placement/resource_providers/${one}$`));
      expect(headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT',
        'cache-control': 'no-cache',
      });
      expect(body).to.deep.equal({
        uuid: one,
        name: 'host',
        generation: 0,
        parent_provider_uuid: null,
        root_provider_uuid: one,
        links: links(one, 'inventories', 'usages', 'aggregates', 'traits', 'allocations'),
      });
    });

    it('gives a UUID to a provider that comes without one', async () => {
      const { body } = await post({ name: 'host' }).expect(200);
      expect(body.uuid).to.match(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    });

    it('writes the UUID down in its usual form, however it came', async () => {
      const plain = '1234567890ABCDEF1234567890ABCDEF';
      const usual = '12345678-90ab-cdef-1234-567890abcdef';
      for (const uuid of [plain, `{${usual}}`, `urn:uuid:${usual}`]) {
        const { body } = await post({ name: 'host', uuid }).expect(200);
        expect(body.uuid).to.equal(usual);
        await ask(`DELETE /resource_providers/${usual}`).expect(204);
      }
    });

    it('refuses a name that is taken, and a UUID that is', async () => {
      await post({ name: 'host', uuid: one }).expect(200);
      expectRefusal(
        await post({ name: 'host' }),
        409,
        'Conflicting resource provider name: host already exists.',
        'placement.duplicate_name',
      );
      const uuidTaken = `Conflicting resource provider uuid: ${one} already exists.`;
      expectRefusal(
        await post({ name: 'other', uuid: one }),
        409,
        uuidTaken,
        'placement.duplicate_name',
      );
      const both =
        /^Conflicting resource provider (name: host|uuid: 0{8}-0000-4000-8000-0{11}1) already exists\.$/;
      expectRefusal(await post({ name: 'host', uuid: one }, '1.22'), 409, both);
    });

    it('takes markup out of what it says, and keeps it in the name', async () => {
      const { body } = await post({ name: '<b>bold</b>\nhost é' }).expect(200);
      expect(body.name).to.equal('<b>bold</b>\nhost é');
      const message = 'Conflicting resource provider name: bold host é already exists.';
      expectRefusal(
        await post({ name: '<b>bold</b>\nhost é' }),
        409,
        message,
        'placement.duplicate_name',
      );
    });

    it('refuses an empty name, and one of more than 200 characters', async () => {
      const message = `Unable to create resource provider "", ${one}: Object action create failed because: name is required`;
      expectRefusal(await post({ name: '', uuid: one }), 400, message);
      await post({ name: 'x'.repeat(200) }).expect(200);
      expectRefusal(
        await post({ name: 'x'.repeat(201) }),
        400,
        /^JSON does not validate: 'x+' is too long {2}Failed validating 'maxLength' in schema\['properties'\]\['name'\]:/,
      );
    });

    for (const [what, body, message] of [
      ['no name', { uuid: one }, /'name' is a required property/],
      ['a name that is no text', { name: 3 }, /3 is not of type 'string'/],
      [
        'what is no UUID',
        { name: 'host', uuid: 'zz' },
        /'zz' is not a 'uuid' {2}Failed validating 'format' in schema\['properties'\]\['uuid'\]/,
      ],
      [
        'other fields',
        { name: 'host', rack: 1 },
        /Additional properties are not allowed \('rack' was unexpected\)/,
      ],
      ['what is no object', ['host'], /\['host'\] is not of type 'object'/],
    ] as const) {
      it(`refuses ${what}`, async () => {
        expectRefusal(await post(body), 400, message);
      });
    }

    it('knows no parents before 1.14', async () => {
      const refused = await post({ name: 'host', parent_provider_uuid: null }, '1.13');
      expectRefusal(
        refused,
        400,
        /Additional properties are not allowed \('parent_provider_uuid' was unexpected\)/,
      );
    });
  });

  describe('GET /resource_providers/{uuid}', () => {
    for (const [version, rels, tree] of [
      ['1.0', ['inventories', 'usages'], false],
      ['1.1', ['inventories', 'usages', 'aggregates'], false],
      ['1.6', ['inventories', 'usages', 'aggregates', 'traits'], false],
      ['1.11', ['inventories', 'usages', 'aggregates', 'traits', 'allocations'], false],
      ['1.14', ['inventories', 'usages', 'aggregates', 'traits', 'allocations'], true],
    ] as const) {
      it(`shows at ${version} what that version knows`, async () => {
        await makeProvider(ask, one, { name: 'host' });
        const { body } = await ask(`GET /resource_providers/${one}`, version).expect(200);
        const place = tree ? { parent_provider_uuid: null, root_provider_uuid: one } : {};
        expect(body).to.deep.equal({
          uuid: one,
          name: 'host',
          generation: 0,
          ...place,
          links: links(one, ...rels),
        });
      });
    }

    it('says when the provider last changed, since 1.15', async () => {
      await makeProvider(ask, one);
      await world.setTime('2026-11-20T15:30:00Z');
      await ask(`POST /resource_providers/${one}/inventories`, newest, {
        body: { resource_class: 'VCPU', total: 1 },
      }).expect(201);
      await world.setTime('2026-11-20T16:00:00Z');
      const { headers } = await ask(`GET /resource_providers/${one}`, '1.15').expect(200);
      expect(headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 15:30:00 GMT',
        'cache-control': 'no-cache',
      });
      const old = await ask(`GET /resource_providers/${one}`, '1.14').expect(200);
      expect(old.headers).to.not.have.any.keys('last-modified', 'cache-control', 'etag');
    });

    it('refuses a provider that there is not', async () => {
      for (const uuid of [one, 'nonsense']) {
        expectRefusal(
          await ask(`GET /resource_providers/${uuid}`, newest),
          404,
          `No resource provider with uuid ${uuid} found`,
        );
      }
    });
  });

  describe('PUT /resource_providers/{uuid}', () => {
    const put = (body: unknown, version = newest, uuid = one) =>
      ask(`PUT /resource_providers/${uuid}`, version, { body });

    it('renames a provider and leaves its generation', async () => {
      await makeProvider(ask, one, { name: 'old', has: { VCPU: 1 } });
      const { body } = await put({ name: 'new' }, '1.0').expect(200);
      expect(body).to.deep.equal({
        uuid: one,
        name: 'new',
        generation: 1,
        links: links(one, 'inventories', 'usages'),
      });
      expect((await ask(`GET /resource_providers/${one}`).expect(200)).body).to.include({
        name: 'new',
        generation: 1,
      });
    });

    it('takes the name that the provider has, and an empty one', async () => {
      await makeProvider(ask, one, { name: 'host' });
      await put({ name: 'host' }).expect(200);
      expect((await put({ name: '' }).expect(200)).body.name).to.equal('');
    });

    it('tells the time before the update: for a child that never changed there is none', async () => {
      await makeProvider(ask, one, { name: 'root' });
      await makeProvider(ask, provider(2), { name: 'child', parent: one });
      await world.setTime('2026-11-20T15:00:00Z');
      const root = await put({ name: 'root 2' });
      expect(root.headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT',
        'cache-control': 'no-cache',
      });
      const child = await put({ name: 'child 2' }, newest, provider(2)).expect(200);
      expect(child.headers['cache-control']).to.equal('no-cache');
      expect(child.headers).to.not.have.property('last-modified');
      const again = await put({ name: 'child 3' }, newest, provider(2)).expect(200);
      expect(again.headers['last-modified']).to.equal('Fri, 20 Nov 2026 15:00:00 GMT');
    });

    it('refuses a name that is taken', async () => {
      await makeProvider(ask, one, { name: 'first' });
      await makeProvider(ask, provider(2), { name: 'second' });
      expectRefusal(
        await put({ name: 'second' }),
        409,
        'Conflicting resource provider second already exists.',
        'placement.duplicate_name',
      );
    });

    it('does not change UUIDs', async () => {
      await makeProvider(ask, one);
      expectRefusal(
        await put({ name: 'host', uuid: one }),
        400,
        /Additional properties are not allowed \('uuid' was unexpected\)/,
      );
      expectRefusal(await put({ name: 'x'.repeat(201) }), 400, /Failed validating 'maxLength'/);
      expectRefusal(await put({}), 400, /'name' is a required property/);
    });

    it('says first that there is no such provider, whatever the body', async () => {
      expectRefusal(
        await put({ nonsense: true }),
        404,
        `No resource provider with uuid ${one} found`,
      );
      expectRefusal(await put('{'), 404, `No resource provider with uuid ${one} found`);
    });
  });

  describe('DELETE /resource_providers/{uuid}', () => {
    const remove = (uuid: string) => ask(`DELETE /resource_providers/${uuid}`, newest);

    it('deletes a provider with its inventories, traits and aggregates', async () => {
      await makeProvider(ask, one, {
        has: { VCPU: 4 },
        traits: ['CUSTOM_A'],
        aggregates: [provider(9)],
      });
      const { headers, text } = await remove(one).expect(204);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expectRefusal(await ask(`GET /resource_providers/${one}`, newest), 404, /found$/);
      await ask('DELETE /traits/CUSTOM_A', newest).expect(204);
      await makeProvider(ask, one);
      const { body } = await ask(`GET /resource_providers/${one}/inventories`).expect(200);
      expect(body.inventories).to.deep.equal({});
    });

    it('keeps a provider that is in use', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4 } });
      await claim(ask, consumer(1), { [one]: { VCPU: 1 } });
      const message = `Unable to delete resource provider ${one}: Resource provider has allocations.`;
      expectRefusal(await remove(one), 409, message, 'placement.resource_provider.inuse');
      await ask(`DELETE /allocations/${consumer(1)}`).expect(204);
      await remove(one).expect(204);
    });

    it('keeps a provider that has children, and says that before anything else', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4 } });
      await makeProvider(ask, provider(2), { parent: one });
      await claim(ask, consumer(1), { [one]: { VCPU: 1 } });
      const message = `Unable to delete parent resource provider ${one}: It has child resource providers.`;
      expectRefusal(
        await remove(one),
        409,
        message,
        'placement.resource_provider.cannot_delete_parent',
      );
    });

    it('refuses a provider that there is not', async () => {
      expectRefusal(
        await remove(one),
        404,
        `No resource provider with uuid ${one} found for delete`,
      );
    });
  });
});
