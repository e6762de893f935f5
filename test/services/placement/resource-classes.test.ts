// Resource classes: the standard ones, and the custom ones that clients make, rename and delete.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { asking, expectRefusal, makeProvider, newest, provider, refusalOf } from './makers.ts';

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
  const ask = asking(world);
  const make = (name: string) => ask('POST /resource_classes', '1.2', { body: { name } });

  describe('GET /resource_classes', () => {
    it('lists the standard classes, then the custom ones as they were made', async () => {
      await make('CUSTOM_B').expect(201);
      await make('CUSTOM_A').expect(201);
      const { body } = await ask('GET /resource_classes', '1.2').expect(200);
      const names = [...standard, 'CUSTOM_B', 'CUSTOM_A'];
      expect(body).to.deep.equal({
        resource_classes: names.map((name) => ({
          name,
          links: [{ rel: 'self', href: `/placement/resource_classes/${name}` }],
        })),
      });
    });

    it('ignores what stands in the query', async () => {
      const { body } = await ask('GET /resource_classes?name=VCPU&x=1', newest).expect(200);
      expect(body.resource_classes).to.have.length(standard.length);
    });

    it('says when the newest class came, from 1.15 on', async () => {
      await world.setTime('2026-11-20T13:00:00Z');
      await make('CUSTOM_A').expect(201);
      await world.setTime('2026-11-20T14:00:00Z');
      const since = await ask('GET /resource_classes', '1.15').expect(200);
      expect(since.headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 13:00:00 GMT',
        'cache-control': 'no-cache',
      });
      const before = await ask('GET /resource_classes', '1.14').expect(200);
      expect(before.headers).to.not.have.any.keys('last-modified', 'cache-control');
    });

    it('is not there before 1.2', async () => {
      expectRefusal(await ask('GET /resource_classes', '1.1'), 404, '');
    });
  });

  describe('POST /resource_classes', () => {
    it('makes a custom class and says where it is', async () => {
      const { headers, text } = await make('CUSTOM_GOLD').expect(201);
      expect(headers['location']).to.match(
        /^http:\/\/127\.0\.0\.1:\d+\/placement\/resource_classes\/CUSTOM_GOLD$/,
      );
      expect(text).to.equal('');
      expect(headers['content-length']).to.equal('0');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      await ask('GET /resource_classes/CUSTOM_GOLD', '1.2').expect(200);
    });

    it('bears no cache headers at 1.15 either', async () => {
      const { headers } = await ask('POST /resource_classes', '1.15', {
        body: { name: 'CUSTOM_A' },
      }).expect(201);
      expect(headers).to.not.have.any.keys('last-modified', 'cache-control');
    });

    it('refuses a class that there is', async () => {
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
      it(`refuses the name '${name}'`, async () => {
        const refused = await make(name);
        expectRefusal(
          refused,
          400,
          new RegExp(
            `^JSON does not validate: '${name}' does not match '\\^CUSTOM_\\[A-Z0-9_\\]\\+\\$'  Failed validating 'pattern' in schema\\['properties'\\]\\['name'\\]:`,
          ),
        );
      });
    }

    it('takes 255 characters and not 256', async () => {
      await make(`CUSTOM_${'X'.repeat(248)}`).expect(201);
      expectRefusal(
        await make(`CUSTOM_${'X'.repeat(249)}`),
        400,
        /^JSON does not validate: 'CUSTOM_X+' is too long  Failed validating 'maxLength' in schema/,
      );
    });

    it('refuses what is no object with just a name', async () => {
      const post = (body: unknown) => ask('POST /resource_classes', '1.2', { body });
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
    it('shows a class, with its time from 1.15 on', async () => {
      const { body, headers } = await ask('GET /resource_classes/VCPU', '1.15').expect(200);
      expect(body).to.deep.equal({
        name: 'VCPU',
        links: [{ rel: 'self', href: '/placement/resource_classes/VCPU' }],
      });
      expect(headers['cache-control']).to.equal('no-cache');
      expect(headers['last-modified']).to.match(/^\w+, \d+ \w+ \d{4} [\d:]+ GMT$/);
    });

    it('refuses a class that there is not, and small letters', async () => {
      for (const name of ['CUSTOM_NOPE', 'vcpu'])
        expectRefusal(
          await ask(`GET /resource_classes/${name}`, '1.2'),
          404,
          `No such resource class ${name}.`,
        );
    });
  });

  describe('PUT /resource_classes/{name} before 1.7', () => {
    const rename = (from: string, to: unknown) =>
      ask(`PUT /resource_classes/${from}`, '1.6', { body: { name: to } });

    it('renames a custom class, also where it has inventory', async () => {
      const uuid = await makeProvider(ask, provider(1), { has: { CUSTOM_OLD: 2 } });
      const { body } = await rename('CUSTOM_OLD', 'CUSTOM_NEW').expect(200);
      expect(body).to.deep.equal({
        name: 'CUSTOM_NEW',
        links: [{ rel: 'self', href: '/placement/resource_classes/CUSTOM_NEW' }],
      });
      const inventories = await ask(`GET /resource_providers/${uuid}/inventories`).expect(200);
      expect(inventories.body.inventories).to.have.all.keys('CUSTOM_NEW');
      await ask('GET /resource_classes/CUSTOM_OLD', '1.6').expect(404);
    });

    it('takes the name that the class has', async () => {
      await make('CUSTOM_OLD').expect(201);
      await rename('CUSTOM_OLD', 'CUSTOM_OLD').expect(200);
    });

    it('refuses to rename a standard class, one that there is not, and to a name that is taken', async () => {
      await make('CUSTOM_OLD').expect(201);
      await make('CUSTOM_TAKEN').expect(201);
      expectRefusal(
        await rename('VCPU', 'CUSTOM_NEW'),
        400,
        'Cannot update standard resource class VCPU',
      );
      expectRefusal(
        await rename('CUSTOM_NOPE', 'CUSTOM_NEW'),
        404,
        'No such resource class CUSTOM_NOPE.',
      );
      expectRefusal(
        await rename('CUSTOM_OLD', 'CUSTOM_TAKEN'),
        409,
        'Resource class already exists: CUSTOM_TAKEN',
      );
    });

    it('refuses a name that is not a custom one', async () => {
      await make('CUSTOM_OLD').expect(201);
      expectRefusal(await rename('CUSTOM_OLD', 'VCPU'), 400, /'VCPU' does not match/);
    });

    it('wants JSON', async () => {
      const { detail } = refusalOf(await ask('PUT /resource_classes/CUSTOM_OLD', '1.6'), 415);
      expect(detail).to.contain('The media type None is not supported, use application/json');
    });
  });

  describe('PUT /resource_classes/{name} since 1.7', () => {
    it('makes a class once, and then finds it there', async () => {
      for (const status of [201, 204]) {
        const { headers, text } = await ask('PUT /resource_classes/CUSTOM_SILVER', '1.7').expect(
          status,
        );
        expect(headers['location']).to.match(
          /^http:\/\/[^/]+\/placement\/resource_classes\/CUSTOM_SILVER$/,
        );
        expect(text).to.equal('');
        expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      }
    });

    it('does not look at the body, nor at what it is said to be', async () => {
      await ask('PUT /resource_classes/CUSTOM_A', '1.7', { body: { name: 'CUSTOM_B' } }).expect(
        201,
      );
      await ask('PUT /resource_classes/CUSTOM_C', '1.7', {
        body: 'no json',
        headers: { 'content-type': 'text/plain' },
      }).expect(201);
      await ask('GET /resource_classes/CUSTOM_B', '1.7').expect(404);
    });

    it('refuses names that are no custom ones, in the words of the schema of POST', async () => {
      for (const name of ['VCPU', 'CUSTOM_', 'gold']) {
        const refused = await ask(`PUT /resource_classes/${name}`, newest);
        expectRefusal(
          refused,
          400,
          new RegExp(
            `^JSON does not validate: '${name}' does not match '\\^CUSTOM_\\[A-Z0-9_\\]\\+\\$'  Failed validating 'pattern'`,
          ),
        );
      }
      expectRefusal(
        await ask(`PUT /resource_classes/CUSTOM_${'Y'.repeat(249)}`, newest),
        400,
        /is too long {2}Failed validating 'maxLength'/,
      );
    });

    it('takes a quotation mark in the name for the end of it, as upstream does', async () => {
      expectRefusal(
        await ask('PUT /resource_classes/CUSTOM_%22', newest),
        400,
        "Malformed JSON: Expecting ',' delimiter: line 1 column 19 (char 18)",
      );
    });
  });

  describe('DELETE /resource_classes/{name}', () => {
    const remove = (name: string, version = newest) =>
      ask(`DELETE /resource_classes/${name}`, version);

    it('deletes a custom class', async () => {
      await make('CUSTOM_A').expect(201);
      const { headers, text } = await remove('CUSTOM_A').expect(204);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expectRefusal(await remove('CUSTOM_A'), 404, 'No such resource class CUSTOM_A.');
    });

    it('keeps standard classes', async () => {
      expectRefusal(
        await remove('VCPU'),
        400,
        'Error in delete resource class: Cannot delete standard resource class VCPU.',
      );
    });

    it('keeps a class that a provider has inventory of', async () => {
      await makeProvider(ask, provider(1), { has: { CUSTOM_A: 1 } });
      const message =
        'Error in delete resource class: Cannot delete resource class CUSTOM_A. Class is in use in inventory.';
      expectRefusal(await remove('CUSTOM_A'), 409, message);
      await ask(`DELETE /resource_providers/${provider(1)}/inventories/CUSTOM_A`, newest).expect(
        204,
      );
      await remove('CUSTOM_A').expect(204);
    });
  });
});
