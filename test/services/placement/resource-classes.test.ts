// Standard resource classes, and custom ones that clients create, rename and delete.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { senderFor, expectRefusal, makeProvider, newest, provider, refusalOf } from './helpers.ts';

const standard = [
  'VCPU',
  'MEMORY_MB',
  'DISK_GB',
  'PCI_DEVICE',
  'SRIOV_NET_VF',
  'NUMA_SOCKET',
  'NUMA_CORE',
  'NUMA_THREAD',
  'NUMA_MEMORY_MB',
  'IPV4_ADDRESS',
  'VGPU',
  'VGPU_DISPLAY_HEAD',
  'NET_BW_EGR_KILOBIT_PER_SEC',
  'NET_BW_IGR_KILOBIT_PER_SEC',
  'PCPU',
  'MEM_ENCRYPTION_CONTEXT',
  'FPGA',
  'PGPU',
  'NET_PACKET_RATE_KILOPACKET_PER_SEC',
  'NET_PACKET_RATE_EGR_KILOPACKET_PER_SEC',
  'NET_PACKET_RATE_IGR_KILOPACKET_PER_SEC',
];

onEachDatabase('Placement: resource classes', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const make = (name: string) => send('POST /resource_classes', '1.2', { body: { name } });

  describe('GET /resource_classes', () => {
    it('lists the standard classes, then the custom ones in order of creation', async () => {
      await make('CUSTOM_B').expect(201);
      await make('CUSTOM_A').expect(201);
      const { body } = await send('GET /resource_classes', '1.2').expect(200);
      const names = [...standard, 'CUSTOM_B', 'CUSTOM_A'];
      expect(body).to.deep.equal({
        resource_classes: names.map((name) => ({
          name,
          links: [{ rel: 'self', href: `/placement/resource_classes/${name}` }],
        })),
      });
    });

    it('ignores the query', async () => {
      const { body } = await send('GET /resource_classes?name=VCPU&x=1', newest).expect(200);
      expect(body.resource_classes).to.have.length(standard.length);
    });

    it('returns the time of the newest class as Last-Modified from 1.15 on', async () => {
      await world.setTime('2026-11-20T13:00:00Z');
      await make('CUSTOM_A').expect(201);
      await world.setTime('2026-11-20T14:00:00Z');
      const since = await send('GET /resource_classes', '1.15').expect(200);
      expect(since.headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 13:00:00 GMT',
        'cache-control': 'no-cache',
      });
      const before = await send('GET /resource_classes', '1.14').expect(200);
      expect(before.headers).to.not.have.any.keys('last-modified', 'cache-control');
    });

    it('returns 404 before 1.2', async () => {
      expectRefusal(await send('GET /resource_classes', '1.1'), 404, '');
    });
  });

  describe('POST /resource_classes', () => {
    it('creates a custom class and returns its location', async () => {
      const { headers, text } = await make('CUSTOM_GOLD').expect(201);
      expect(headers['location']).to.match(
        /^http:\/\/127\.0\.0\.1:\d+\/placement\/resource_classes\/CUSTOM_GOLD$/,
      );
      expect(text).to.equal('');
      expect(headers['content-length']).to.equal('0');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      await send('GET /resource_classes/CUSTOM_GOLD', '1.2').expect(200);
    });

    it('returns no cache headers, even at 1.15', async () => {
      const { headers } = await send('POST /resource_classes', '1.15', {
        body: { name: 'CUSTOM_A' },
      }).expect(201);
      expect(headers).to.not.have.any.keys('last-modified', 'cache-control');
    });

    it('returns 409 for an existing class', async () => {
      await make('CUSTOM_GOLD').expect(201);
      expectRefusal(
        await make('CUSTOM_GOLD'),
        409,
        'Conflicting resource class already exists: CUSTOM_GOLD',
      );
    });

    for (const name of [
      'VCPU',
      'GOLD',
      'CUSTOM_',
      'CUSTOM_gold',
      'CUSTOM_G-LD',
      'custom_GOLD',
      '',
    ]) {
      it(`returns 400 for the name '${name}'`, async () => {
        const refused = await make(name);
        expectRefusal(
          refused,
          400,
          new RegExp(
            `^JSON does not validate: '${name}' does not match ` +
              `'\\^CUSTOM_\\[A-Z0-9_\\]\\+\\$'  Failed validating 'pattern' in ` +
              `schema\\['properties'\\]\\['name'\\]:`,
          ),
        );
      });
    }

    it('accepts a name of 255 characters, but not of 256', async () => {
      await make(`CUSTOM_${'X'.repeat(248)}`).expect(201);
      expectRefusal(
        await make(`CUSTOM_${'X'.repeat(249)}`),
        400,
        /^JSON does not validate: 'CUSTOM_X+' is too long  Failed validating 'maxLength' in schema/,
      );
    });

    it('returns 400 for a body other than an object with only a name', async () => {
      const post = (body: unknown) => send('POST /resource_classes', '1.2', { body });
      expectRefusal(await post({}), 400, /^JSON does not validate: 'name' is a required property/);
      expectRefusal(
        await post({ name: 'CUSTOM_A', size: 1 }),
        400,
        /Additional properties are not allowed \('size' was unexpected\)/,
      );
      expectRefusal(await post([]), 400, /\[\] is not of type 'object'/);
      expectRefusal(await post({ name: 5 }), 400, /5 is not of type 'string'/);
    });
  });

  describe('GET /resource_classes/{name}', () => {
    it('returns a class, with Last-Modified from 1.15 on', async () => {
      const { body, headers } = await send('GET /resource_classes/VCPU', '1.15').expect(200);
      expect(body).to.deep.equal({
        name: 'VCPU',
        links: [{ rel: 'self', href: '/placement/resource_classes/VCPU' }],
      });
      expect(headers['cache-control']).to.equal('no-cache');
      expect(headers['last-modified']).to.match(/^\w+, \d+ \w+ \d{4} [\d:]+ GMT$/);
    });

    it('returns 404 for an unknown class, and for a name in lower case', async () => {
      for (const name of ['CUSTOM_NOPE', 'vcpu'])
        expectRefusal(
          await send(`GET /resource_classes/${name}`, '1.2'),
          404,
          `No such resource class ${name}.`,
        );
    });
  });

  describe('PUT /resource_classes/{name} before 1.7', () => {
    const rename = (from: string, to: unknown) =>
      send(`PUT /resource_classes/${from}`, '1.6', { body: { name: to } });

    it('renames a custom class, even if it has inventories', async () => {
      const uuid = await makeProvider(send, provider(1), { inventories: { CUSTOM_OLD: 2 } });
      const { body } = await rename('CUSTOM_OLD', 'CUSTOM_NEW').expect(200);
      expect(body).to.deep.equal({
        name: 'CUSTOM_NEW',
        links: [{ rel: 'self', href: '/placement/resource_classes/CUSTOM_NEW' }],
      });
      const inventories = await send(`GET /resource_providers/${uuid}/inventories`).expect(200);
      expect(inventories.body.inventories).to.have.all.keys('CUSTOM_NEW');
      await send('GET /resource_classes/CUSTOM_OLD', '1.6').expect(404);
    });

    it('accepts the current name of the class', async () => {
      await make('CUSTOM_OLD').expect(201);
      await rename('CUSTOM_OLD', 'CUSTOM_OLD').expect(200);
    });

    it('returns 400 for a standard class', async () => {
      await make('CUSTOM_OLD').expect(201);
      await make('CUSTOM_TAKEN').expect(201);
      expectRefusal(
        await rename('VCPU', 'CUSTOM_NEW'),
        400,
        'Cannot update standard resource class VCPU',
      );
    });

    it('returns 404 for an unknown class', async () => {
      expectRefusal(
        await rename('CUSTOM_NOPE', 'CUSTOM_NEW'),
        404,
        'No such resource class CUSTOM_NOPE.',
      );
    });

    it('returns 409 for the name of another class', async () => {
      await make('CUSTOM_OLD').expect(201);
      await make('CUSTOM_TAKEN').expect(201);
      expectRefusal(
        await rename('CUSTOM_OLD', 'CUSTOM_TAKEN'),
        409,
        'Resource class already exists: CUSTOM_TAKEN',
      );
    });

    it('returns 400 for a name without CUSTOM_', async () => {
      await make('CUSTOM_OLD').expect(201);
      expectRefusal(await rename('CUSTOM_OLD', 'VCPU'), 400, /'VCPU' does not match/);
    });

    it('returns 415 for a body other than JSON', async () => {
      const { detail } = refusalOf(await send('PUT /resource_classes/CUSTOM_OLD', '1.6'), 415);
      expect(detail).to.contain('The media type None is not supported, use application/json');
    });
  });

  describe('PUT /resource_classes/{name} from 1.7 on', () => {
    it('returns 201 for a new class, and 204 for an existing one', async () => {
      for (const status of [201, 204]) {
        const { headers, text } = await send('PUT /resource_classes/CUSTOM_SILVER', '1.7').expect(
          status,
        );
        expect(headers['location']).to.match(
          /^http:\/\/[^/]+\/placement\/resource_classes\/CUSTOM_SILVER$/,
        );
        expect(text).to.equal('');
        expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      }
    });

    it('ignores the body and its content type', async () => {
      await send('PUT /resource_classes/CUSTOM_A', '1.7', { body: { name: 'CUSTOM_B' } }).expect(
        201,
      );
      await send('PUT /resource_classes/CUSTOM_C', '1.7', {
        body: 'no json',
        headers: { 'content-type': 'text/plain' },
      }).expect(201);
      await send('GET /resource_classes/CUSTOM_B', '1.7').expect(404);
    });

    it("returns 400 with the message of POST's schema for a name without CUSTOM_", async () => {
      for (const name of ['VCPU', 'CUSTOM_', 'gold']) {
        const refused = await send(`PUT /resource_classes/${name}`, newest);
        expectRefusal(
          refused,
          400,
          new RegExp(
            `^JSON does not validate: '${name}' does not match ` +
              `'\\^CUSTOM_\\[A-Z0-9_\\]\\+\\$'  Failed validating 'pattern'`,
          ),
        );
      }
      expectRefusal(
        await send(`PUT /resource_classes/CUSTOM_${'Y'.repeat(249)}`, newest),
        400,
        /is too long {2}Failed validating 'maxLength'/,
      );
    });

    it('ends the name at a quotation mark, like upstream', async () => {
      expectRefusal(
        await send('PUT /resource_classes/CUSTOM_%22', newest),
        400,
        "Malformed JSON: Expecting ',' delimiter: line 1 column 19 (char 18)",
      );
    });
  });

  describe('DELETE /resource_classes/{name}', () => {
    const remove = (name: string, version = newest) =>
      send(`DELETE /resource_classes/${name}`, version);

    it('deletes a custom class', async () => {
      await make('CUSTOM_A').expect(201);
      const { headers, text } = await remove('CUSTOM_A').expect(204);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expectRefusal(await remove('CUSTOM_A'), 404, 'No such resource class CUSTOM_A.');
    });

    it('returns 400 for a standard class', async () => {
      expectRefusal(
        await remove('VCPU'),
        400,
        'Error in delete resource class: Cannot delete standard resource class VCPU.',
      );
    });

    it('returns 409 for a class with inventories', async () => {
      await makeProvider(send, provider(1), { inventories: { CUSTOM_A: 1 } });
      const message =
        'Error in delete resource class: Cannot delete resource class CUSTOM_A. Class is in ' +
        'use in inventory.';
      expectRefusal(await remove('CUSTOM_A'), 409, message);
      await send(`DELETE /resource_providers/${provider(1)}/inventories/CUSTOM_A`, newest).expect(
        204,
      );
      await remove('CUSTOM_A').expect(204);
    });
  });
});
