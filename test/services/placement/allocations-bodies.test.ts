// The bodies of allocations at each version, and the errors for invalid ones.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  allocationBody,
  senderFor,
  claimBody,
  consumer,
  expectRefusal,
  makeProvider,
  newest,
  provider,
  refusalOf,
} from './helpers.ts';

onEachDatabase('Placement: bodies of allocations', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const [one, two] = [provider(1), provider(2)];
  const who = consumer(1);
  const put = (body: unknown, version = newest, uuid = who) =>
    send(`PUT /allocations/${uuid}`, version, { body });
  const shown = async (uuid = who): Promise<Record<string, unknown>> =>
    (await send(`GET /allocations/${uuid}`, newest).expect(200)).body as Record<string, unknown>;
  const amounts = async (uuid = who): Promise<unknown> =>
    Object.fromEntries(
      Object.entries(
        (await shown(uuid))['allocations'] as Record<string, { resources: object }>,
      ).map(([rp, { resources }]) => [rp, resources]),
    );
  const listed = (uuid: string, resources: object): object => ({
    resource_provider: { uuid },
    resources,
  });
  const uses = { [one]: { VCPU: 1 } };

  beforeEach(async () => {
    await makeProvider(send, one, { inventories: { VCPU: 8, DISK_GB: 8 } });
    await makeProvider(send, two, { inventories: { VCPU: 8 } });
  });

  describe('PUT /allocations/{consumer} before 1.8', () => {
    it('takes a list, and stores a placeholder project and user', async () => {
      const { headers, text } = await put(
        { allocations: [listed(one, { VCPU: 1, DISK_GB: 2 }), listed(two, { VCPU: 3 })] },
        '1.7',
      ).expect(204);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expect(await amounts()).to.deep.equal({ [one]: { VCPU: 1, DISK_GB: 2 }, [two]: { VCPU: 3 } });
      const nobody = '00000000-0000-0000-0000-000000000000';
      expect(await shown()).to.include({
        project_id: nobody,
        user_id: nobody,
        consumer_type: 'unknown',
        consumer_generation: 1,
      });
    });

    it('overwrites the project and user with the placeholder', async () => {
      await put(claimBody(uses)).expect(204);
      await put({ allocations: [listed(one, { VCPU: 2 })] }, '1.0').expect(204);
      expect(await shown()).to.include({
        project_id: '00000000-0000-0000-0000-000000000000',
        consumer_generation: 2,
        consumer_type: 'INSTANCE',
      });
    });

    it('takes UUIDs in any form, and uses the last entry of a provider', async () => {
      await put(
        {
          allocations: [
            listed(one.replaceAll('-', ''), { VCPU: 5, DISK_GB: 1 }),
            listed(one, { VCPU: 2 }),
          ],
        },
        '1.0',
      ).expect(204);
      expect(await amounts()).to.deep.equal({ [one]: { VCPU: 2 } });
    });

    it('returns 400 for an invalid body', async () => {
      for (const [body, message] of [
        [{ allocations: [] }, /Failed validating 'minItems' in schema/],
        [{}, /'allocations' is a required property/],
        [{ allocations: {} }, /\{\} is not of type 'array'/],
        [{ allocations: [listed('zz', { VCPU: 1 })] }, /'zz' is not a 'uuid'/],
        [
          { allocations: [listed(one, {})] },
          /JSON does not validate: \{\} (does not have enough properties|should be non-empty)/,
        ],
        [
          { allocations: [{ resources: { VCPU: 1 } }] },
          /'resource_provider' is a required property/,
        ],
        [
          { allocations: [{ resource_provider: { uuid: one, x: 1 }, resources: { VCPU: 1 } }] },
          /'x' was unexpected/,
        ],
        [{ allocations: [{ ...listed(one, { VCPU: 1 }), x: 1 }] }, /'x' was unexpected/],
        [
          { allocations: [listed(one, { VCPU: 1 })], project_id: 'p' },
          /'project_id' was unexpected/,
        ],
      ] as const) {
        expectRefusal(await put(body, '1.7'), 400, message);
      }
    });
  });

  describe('PUT /allocations/{consumer} from 1.8 to 1.11', () => {
    it('takes a list with a project and a user', async () => {
      const body = { allocations: [listed(one, { VCPU: 1 })], project_id: 'ours', user_id: 'me' };
      await put(body, '1.8').expect(204);
      expect(await shown()).to.include({ project_id: 'ours', user_id: 'me' });
    });

    it('returns 400 for an absent or malformed project or user', async () => {
      const body = { allocations: [listed(one, { VCPU: 1 })], project_id: 'ours', user_id: 'me' };
      for (const name of ['project_id', 'user_id']) {
        expectRefusal(
          await put({ ...body, [name]: undefined }, '1.11'),
          400,
          new RegExp(`'${name}' is a required property`),
        );
        expectRefusal(
          await put({ ...body, [name]: '' }, '1.11'),
          400,
          /Failed validating 'minLength'/,
        );
        expectRefusal(
          await put({ ...body, [name]: 'x'.repeat(256) }, '1.11'),
          400,
          /Failed validating 'maxLength'/,
        );
        expectRefusal(await put({ ...body, [name]: 5 }, '1.11'), 400, /5 is not of type 'string'/);
      }
      expectRefusal(await put(allocationBody(uses), '1.11'), 400, /is not of type 'array'/);
    });
  });

  describe('PUT /allocations/{consumer} from 1.12 on', () => {
    it('takes a map by provider, and ignores its generations', async () => {
      await put(
        {
          ...allocationBody({}),
          allocations: { [one]: { resources: { VCPU: 2 }, generation: 99 } },
        },
        '1.12',
      ).expect(204);
      expect(await amounts()).to.deep.equal({ [one]: { VCPU: 2 } });
    });

    it('takes 2.0 as 2, and UUIDs in upper case', async () => {
      const text =
        `{"allocations": {"${one.toUpperCase()}": {"resources": {"VCPU": 2.0}}}, ` +
        '"project_id": "p", "user_id": "u"}';
      await put(text, '1.12').expect(204);
      expect(await amounts()).to.deep.equal({ [one]: { VCPU: 2 } });
    });

    it('returns 400 for an invalid body', async () => {
      const of = (allocations: unknown): object => ({ ...allocationBody({}), allocations });
      for (const [body, message] of [
        [
          of({}),
          /JSON does not validate: \{\} (does not have enough properties|should be non-empty)/,
        ],
        [of([listed(one, { VCPU: 1 })]), /is not of type 'object'/],
        [
          of({ zz: { resources: { VCPU: 1 } } }),
          /'zz' does not match any of the regexes: '\^\[0-9a-fA-F-\]\{36\}\$'/,
        ],
        [of({ [one]: {} }), /'resources' is a required property/],
        [
          of({ [one]: { resources: {} } }),
          /\{\} (does not have enough properties|should be non-empty)/,
        ],
        [of({ [one]: { resources: { VCPU: 0 } } }), /0 is less than the minimum of 1/],
        [of({ [one]: { resources: { VCPU: '1' } } }), /'1' is not of type 'integer'/],
        [of({ [one]: { resources: { VCPU: 1.5 } } }), /1\.5 is not of type 'integer'/],
        [
          of({ [one]: { resources: { vcpu: 1 } } }),
          /'vcpu' does not match any of the regexes: '\^\[A-Z0-9_\]\+\$'/,
        ],
        [
          of({ [one]: { resources: { VCPU: 1 }, generation: 'x' } }),
          /'x' is not of type 'integer'/,
        ],
        [of({ [one]: { resources: { VCPU: 1 }, x: 1 } }), /'x' was unexpected/],
        [
          { ...allocationBody(uses), consumer_generation: null },
          /'consumer_generation' was unexpected/,
        ],
      ] as const) {
        expectRefusal(await put(body, '1.27'), 400, message);
      }
    });

    it('treats 36 dashes as the UUID of an unknown provider', async () => {
      const dashes = '-'.repeat(36);
      expectRefusal(
        await put(allocationBody({ [dashes]: { VCPU: 1 } }), '1.12'),
        400,
        `Allocation for resource provider '${dashes}' that does not exist.`,
      );
    });
  });

  describe('PUT /allocations/{consumer} from 1.28 on', () => {
    it('requires a generation, which is a number or null', async () => {
      expectRefusal(
        await put(allocationBody(uses), '1.28'),
        400,
        /'consumer_generation' is a required property/,
      );
      for (const generation of ['x', 1.5, true]) {
        expectRefusal(
          await put(allocationBody(uses, { consumer_generation: generation }), '1.28'),
          400,
          /is not of type 'integer', 'null'/,
        );
      }
      await put(allocationBody(uses, { consumer_generation: null }), '1.28').expect(204);
    });
  });

  describe('PUT /allocations/{consumer} from 1.34 on', () => {
    const withMappings = (mappings: unknown): object =>
      allocationBody(uses, { consumer_generation: null, mappings });

    it('accepts mappings and ignores them', async () => {
      await put(
        withMappings({ '': [one], 1: [two.replaceAll('-', '')], _x: [one, two] }),
        '1.34',
      ).expect(204);
      expect(await shown()).to.not.have.property('mappings');
    });

    it('ignores mappings whose key is not the name of a group', async () => {
      await put(withMappings({ '': 'anything', '!': 3 }), '1.34').expect(204);
    });

    it('returns 400 for invalid mappings, and for any mappings before 1.34', async () => {
      for (const [mappings, message] of [
        [{}, /\{\} (does not have enough properties|should be non-empty)/],
        [{ 1: [] }, /\[\] (is too short|should be non-empty)/],
        [{ 1: ['q'] }, /'q' is not a 'uuid'/],
        [{ 1: one }, /is not of type 'array'/],
      ] as const) {
        expectRefusal(await put(withMappings(mappings), '1.34'), 400, message);
      }
      expectRefusal(
        await put(withMappings({ 1: [one] }), '1.33'),
        400,
        /'mappings' was unexpected/,
      );
    });
  });

  describe('PUT /allocations/{consumer} from 1.38 on', () => {
    it('requires a consumer type', async () => {
      expectRefusal(
        await put(claimBody(uses, { consumer_type: undefined }), '1.38'),
        400,
        /'consumer_type' is a required property/,
      );
      for (const [type, message] of [
        ['instance', /'instance' does not match '\^\[A-Z0-9_\]\+\$'/],
        ['', /Failed validating '(pattern|minLength)'/],
        ['X'.repeat(256), /is too long/],
        [5, /5 is not of type 'string'/],
      ] as const) {
        expectRefusal(await put(claimBody(uses, { consumer_type: type }), '1.38'), 400, message);
      }
      await put(claimBody(uses, { consumer_type: 'X'.repeat(255) }), '1.38').expect(204);
      expectRefusal(await put(claimBody(uses), '1.37'), 400, /'consumer_type' was unexpected/);
    });
  });

  describe('PUT /allocations/{consumer} at any version', () => {
    it("normalizes the consumer's UUID, unlike other operations", async () => {
      const odd = consumer(2).replaceAll('-', '').toUpperCase();
      await put(claimBody(uses), newest, odd).expect(204);
      expect(await amounts(consumer(2))).to.deep.equal(uses);
      expect(await shown(odd)).to.deep.equal({ allocations: {} });
      expectRefusal(
        await send(`DELETE /allocations/${odd}`, newest),
        404,
        `No allocations for consumer '${odd}'`,
      );
    });

    it('returns 400 for a malformed consumer UUID before it validates the body', async () => {
      expectRefusal(await put({ bad: 1 }, newest, 'nope'), 400, 'Malformed consumer_uuid: nope');
    });

    it('returns 415 or 400 for a body other than a JSON object', async () => {
      expect(
        refusalOf(await put('x', newest).set('content-type', 'text/plain'), 415).detail,
      ).to.contain('The media type text/plain is not supported, use application/json');
      expectRefusal(
        await put('{"allocations"', newest),
        400,
        /^Malformed JSON: Expecting ':' delimiter: line 1 column 15 \(char 14\)$/,
      );
      expectRefusal(
        await put([], newest),
        400,
        /^JSON does not validate: \[\] is not of type 'object'/,
      );
    });
  });
});
