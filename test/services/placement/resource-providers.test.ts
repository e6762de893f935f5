// Single providers: create, show, rename and delete. Other files test lists and trees.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  senderFor,
  claim,
  consumer,
  expectRefusal,
  makeProvider,
  newest,
  provider,
} from './support.ts';

const links = (uuid: string, ...rels: string[]): object[] => [
  { rel: 'self', href: `/placement/resource_providers/${uuid}` },
  ...rels.map((rel) => ({ rel, href: `/placement/resource_providers/${uuid}/${rel}` })),
];

onEachDatabase('Placement: providers', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const one = provider(1);
  const post = (body: unknown, version = newest) =>
    send('POST /resource_providers', version, { body });

  describe('POST /resource_providers', () => {
    it('returns 201 with only a location before 1.20', async () => {
      const { headers, text } = await post({ name: 'host', uuid: one }, '1.19').expect(201);
      expect(headers['location']).to.match(
        new RegExp(`^http://127\\.0\\.0\\.1:\\d+/placement/resource_providers/${one}$`),
      );
      expect(text).to.equal('');
      expect(headers['content-length']).to.equal('0');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
    });

    it('returns 200 with the provider from 1.20 on', async () => {
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

    it('generates a UUID if the body has none #placement-4', async () => {
      const { body } = await post({ name: 'host' }).expect(200);
      expect(body.uuid).to.match(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    });

    it('stores any form of a UUID in lower case with dashes', async () => {
      const plain = '1234567890ABCDEF1234567890ABCDEF';
      const usual = '12345678-90ab-cdef-1234-567890abcdef';
      for (const uuid of [plain, `{${usual}}`, `urn:uuid:${usual}`]) {
        const { body } = await post({ name: 'host', uuid }).expect(200);
        expect(body.uuid).to.equal(usual);
        await send(`DELETE /resource_providers/${usual}`).expect(204);
      }
    });

    it('returns 409 for an existing name #placement-4', async () => {
      await post({ name: 'host', uuid: one }).expect(200);
      expectRefusal(
        await post({ name: 'host' }),
        409,
        'Conflicting resource provider name: host already exists.',
        'placement.duplicate_name',
      );
    });

    it('returns 409 for an existing UUID, or an existing name and UUID', async () => {
      await post({ name: 'host', uuid: one }).expect(200);
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

    it('strips markup from the error message, but not from the name', async () => {
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

    it('returns 400 for an empty name', async () => {
      const message =
        `Unable to create resource provider "", ${one}: Object action create ` +
        'failed because: name is required';
      expectRefusal(await post({ name: '', uuid: one }), 400, message);
    });

    it('accepts a name of 200 characters, but not of 201', async () => {
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
      it(`returns 400 for ${what}`, async () => {
        expectRefusal(await post(body), 400, message);
      });
    }

    it('returns 400 for a parent before 1.14', async () => {
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
      it(`returns the fields of ${version} #placement-1 #placement-2`, async () => {
        await makeProvider(send, one, { name: 'host' });
        const { body } = await send(`GET /resource_providers/${one}`, version).expect(200);
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

    it('returns the time of the last change as Last-Modified from 1.15 on', async () => {
      await makeProvider(send, one);
      await world.setTime('2026-11-20T15:30:00Z');
      await send(`POST /resource_providers/${one}/inventories`, newest, {
        body: { resource_class: 'VCPU', total: 1 },
      }).expect(201);
      await world.setTime('2026-11-20T16:00:00Z');
      const { headers } = await send(`GET /resource_providers/${one}`, '1.15').expect(200);
      expect(headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 15:30:00 GMT',
        'cache-control': 'no-cache',
      });
      const old = await send(`GET /resource_providers/${one}`, '1.14').expect(200);
      expect(old.headers).to.not.have.any.keys('last-modified', 'cache-control', 'etag');
    });

    it('returns 404 for an unknown provider', async () => {
      for (const uuid of [one, 'nonsense']) {
        expectRefusal(
          await send(`GET /resource_providers/${uuid}`, newest),
          404,
          `No resource provider with uuid ${uuid} found`,
        );
      }
    });
  });

  describe('PUT /resource_providers/{uuid}', () => {
    const put = (body: unknown, version = newest, uuid = one) =>
      send(`PUT /resource_providers/${uuid}`, version, { body });

    it('renames a provider, and does not change its generation', async () => {
      await makeProvider(send, one, { name: 'old', inventories: { VCPU: 1 } });
      const { body } = await put({ name: 'new' }, '1.0').expect(200);
      expect(body).to.deep.equal({
        uuid: one,
        name: 'new',
        generation: 1,
        links: links(one, 'inventories', 'usages'),
      });
      expect((await send(`GET /resource_providers/${one}`).expect(200)).body).to.include({
        name: 'new',
        generation: 1,
      });
    });

    it("accepts the provider's current name, and an empty name", async () => {
      await makeProvider(send, one, { name: 'host' });
      await put({ name: 'host' }).expect(200);
      expect((await put({ name: '' }).expect(200)).body.name).to.equal('');
    });

    it('returns the time before the update, and none for a child that never changed', async () => {
      await makeProvider(send, one, { name: 'root' });
      await makeProvider(send, provider(2), { name: 'child', parent: one });
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

    it('returns 409 for an existing name', async () => {
      await makeProvider(send, one, { name: 'first' });
      await makeProvider(send, provider(2), { name: 'second' });
      expectRefusal(
        await put({ name: 'second' }),
        409,
        'Conflicting resource provider second already exists.',
        'placement.duplicate_name',
      );
    });

    it('returns 400 for a UUID in the body', async () => {
      await makeProvider(send, one);
      expectRefusal(
        await put({ name: 'host', uuid: one }),
        400,
        /Additional properties are not allowed \('uuid' was unexpected\)/,
      );
    });

    it('returns 400 for a name of more than 200 characters', async () => {
      await makeProvider(send, one);
      expectRefusal(await put({ name: 'x'.repeat(201) }), 400, /Failed validating 'maxLength'/);
    });

    it('returns 400 without a name', async () => {
      await makeProvider(send, one);
      expectRefusal(await put({}), 400, /'name' is a required property/);
    });

    it('returns 404 for an unknown provider before it validates the body', async () => {
      expectRefusal(
        await put({ nonsense: true }),
        404,
        `No resource provider with uuid ${one} found`,
      );
      expectRefusal(await put('{'), 404, `No resource provider with uuid ${one} found`);
    });
  });

  describe('DELETE /resource_providers/{uuid}', () => {
    const remove = (uuid: string) => send(`DELETE /resource_providers/${uuid}`, newest);

    it('deletes a provider with its inventories, traits and aggregates #placement-20', async () => {
      await makeProvider(send, one, {
        inventories: { VCPU: 4 },
        traits: ['CUSTOM_A'],
        aggregates: [provider(9)],
      });
      const { headers, text } = await remove(one).expect(204);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expectRefusal(await send(`GET /resource_providers/${one}`, newest), 404, /found$/);
      await send('DELETE /traits/CUSTOM_A', newest).expect(204);
      await makeProvider(send, one);
      const { body } = await send(`GET /resource_providers/${one}/inventories`).expect(200);
      expect(body.inventories).to.deep.equal({});
    });

    it('returns 409 for a provider with allocations #placement-20', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4 } });
      await claim(send, consumer(1), { [one]: { VCPU: 1 } });
      const message = `Unable to delete resource provider ${one}: Resource provider has allocations.`;
      expectRefusal(await remove(one), 409, message, 'placement.resource_provider.inuse');
      await send(`DELETE /allocations/${consumer(1)}`).expect(204);
      await remove(one).expect(204);
    });

    it('returns 409 for a provider with children before it checks allocations', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4 } });
      await makeProvider(send, provider(2), { parent: one });
      await claim(send, consumer(1), { [one]: { VCPU: 1 } });
      const message = `Unable to delete parent resource provider ${one}: It has child resource providers.`;
      expectRefusal(
        await remove(one),
        409,
        message,
        'placement.resource_provider.cannot_delete_parent',
      );
    });

    it('returns 404 for an unknown provider', async () => {
      expectRefusal(
        await remove(one),
        404,
        `No resource provider with uuid ${one} found for delete`,
      );
    });
  });
});
