// Creation of a single inventory of a provider.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { senderFor, expectRefusal, makeProvider, newest, provider, refusalOf } from './helpers.ts';
import { maxInteger, invalidInventories } from './invalid-inventories.ts';

const plain = { reserved: 0, min_unit: 1, max_unit: maxInteger, step_size: 1, allocation_ratio: 1 };
const noon = { 'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT', 'cache-control': 'no-cache' };

onEachDatabase('Placement: creation of inventories', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const one = provider(1);
  const path = `/resource_providers/${one}/inventories`;
  const post = (body: object, version = newest) => send(`POST ${path}`, version, { body });
  const generation = async (): Promise<number> =>
    (await send(`GET ${path}`).expect(200)).body.resource_provider_generation as number;
  const invalid = (verb: string, name: string, comparison: string) =>
    `Unable to ${verb} inventory for resource provider ${one}: Invalid inventory for ` +
    `'${name}' on resource provider '${one}'. The reserved value is ${comparison}.`;

  describe('POST .../inventories', () => {
    beforeEach(() => makeProvider(send, one));

    it('creates an inventory with defaults, and returns its location', async () => {
      const { body, headers } = await post({ resource_class: 'VCPU', total: 4 }, '1.15').expect(
        201,
      );
      expect(body).to.deep.equal({ total: 4, ...plain, resource_provider_generation: 1 });
      expect(headers['location']).to.match(new RegExp(`^http://[^/]+/placement${path}/VCPU$`));
      expect(headers).to.include({ ...noon, 'content-type': 'application/json' });
      await post({ resource_class: 'DISK_GB', total: 12, reserved: 2 }, '1.14').expect(201);
      expect(await generation()).to.equal(2);
    });

    it('ignores the generation, but returns 400 if it is not a number', async () => {
      await post({ resource_class: 'VCPU', total: 4, resource_provider_generation: 77 }).expect(
        201,
      );
      expectRefusal(
        await post({ resource_class: 'DISK_GB', total: 4, resource_provider_generation: 'x' }),
        400,
        /'x' is not of type 'integer'/,
      );
    });

    it('accepts 12.0 as 12, and a min_unit above max_unit', async () => {
      const { body } = await post(
        '{"resource_class": "VCPU", "total": 12.0, "min_unit": 5, "max_unit": 2}' as unknown as object,
      ).expect(201);
      expect(body).to.include({ total: 12, min_unit: 5, max_unit: 2 });
    });

    for (const [what, body, message] of invalidInventories) {
      it(`returns 400 for ${what}`, async () => {
        const answer = await post({ resource_class: 'VCPU', ...body });
        expectRefusal(answer, 400, message);
        expect(refusalOf(answer, 400).detail).to.contain(' JSON does not validate: ');
      });
    }

    it('returns 400 for an unknown, malformed or absent class', async () => {
      expectRefusal(
        await post({ resource_class: 'NOPE', total: 4 }),
        400,
        `Unable to create inventory for resource provider ${one}: No such resource class NOPE.`,
      );
      expectRefusal(
        await post({ resource_class: 'vcpu', total: 4 }),
        400,
        /'vcpu' does not match '\^\[A-Z0-9_\]\+\$'/,
      );
      expectRefusal(await post({ total: 4 }), 400, /'resource_class' is a required property/);
    });

    it('returns 409 for a second inventory of a class', async () => {
      await post({ resource_class: 'VCPU', total: 4 }).expect(201);
      expectRefusal(
        await post({ resource_class: 'VCPU', total: 8 }),
        409,
        /^Update conflict: /,
        'placement.concurrent_update',
      );
      expect(await generation()).to.equal(1);
    });

    it('returns 404 for an unknown provider before it validates the body', async () => {
      const answer = await send(`POST /resource_providers/${provider(9)}/inventories`, newest, {
        body: { bad: 1 },
      });
      expectRefusal(answer, 404, `No resource provider with uuid ${provider(9)} found`);
    });

    it('returns 400 for a capacity of zero before 1.26', async () => {
      for (const fields of [
        { total: 4, reserved: 4 },
        { total: 4, reserved: 5 },
        { total: 4, allocation_ratio: 0 },
        { total: 1, allocation_ratio: 0.5 },
      ]) {
        expectRefusal(
          await post({ resource_class: 'VCPU', ...fields }, '1.25'),
          400,
          invalid('create', 'VCPU', 'greater than or equal to total'),
        );
      }
    });

    it('accepts a capacity of zero, but not a negative one, from 1.26 on', async () => {
      await post({ resource_class: 'VCPU', total: 4, reserved: 4 }, '1.26').expect(201);
      await post({ resource_class: 'DISK_GB', total: 4, allocation_ratio: 0 }, '1.26').expect(201);
      await post({ resource_class: 'PGPU', total: 1, allocation_ratio: 0.5 }, '1.26').expect(201);
      for (const fields of [
        { total: 4, reserved: 5 },
        { total: 4, allocation_ratio: -1 },
      ]) {
        expectRefusal(
          await post({ resource_class: 'VGPU', ...fields }, '1.26'),
          400,
          invalid('create', 'VGPU', 'greater than total'),
        );
      }
    });

    it('validates the capacity before it looks up the class', async () => {
      expectRefusal(
        await post({ resource_class: 'NOPE', total: 4, reserved: 4 }, '1.25'),
        400,
        invalid('create', 'NOPE', 'greater than or equal to total'),
      );
    });
  });
});
