// Lists of providers, and their filters.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  aggregate,
  senderFor,
  claim,
  consumer,
  expectRefusal,
  makeProvider,
  newest,
  provider,
} from './support.ts';

onEachDatabase('Placement: lists of providers', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const list = (query: string, version = newest) =>
    send(`GET /resource_providers?${query}`, version);
  /** Lists the numbers of the providers that match a query. */
  const found = async (query: string, version = newest): Promise<number[]> => {
    const { body } = await list(query, version).expect(200);
    return (body.resource_providers as { uuid: string }[])
      .map(({ uuid }) => Number(uuid.slice(-3)))
      .sort();
  };
  const badGrammar = (form: string) =>
    `Invalid query string parameters: Expected 'required' parameter value of the form: ${form}`;

  /** Three trees: 1; 2 with 3 below it; 4. */
  const plant = async (): Promise<void> => {
    const fields = { total: 100, min_unit: 20, max_unit: 50, step_size: 10 };
    await makeProvider(send, provider(1), {
      name: 'one',
      inventories: { VCPU: { total: 5, reserved: 1, allocation_ratio: 1.5 }, MEMORY_MB: fields },
      traits: ['CUSTOM_A'],
      aggregates: [aggregate(1)],
    });
    await makeProvider(send, provider(2), {
      name: 'two',
      traits: ['CUSTOM_A', 'CUSTOM_B'],
      aggregates: [aggregate(1), aggregate(2)],
    });
    await makeProvider(send, provider(3), {
      name: 'three',
      parent: provider(2),
      inventories: { VCPU: 2 },
      traits: ['CUSTOM_B'],
      aggregates: [aggregate(2)],
    });
    await makeProvider(send, provider(4), { name: 'Vier Ä' });
  };

  describe('GET /resource_providers', () => {
    it('returns an empty list with the current time as Last-Modified', async () => {
      const { body, headers } = await send('GET /resource_providers', '1.15').expect(200);
      expect(body).to.deep.equal({ resource_providers: [] });
      expect(headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT',
        'cache-control': 'no-cache',
      });
    });

    it('returns all fields, and the time of the latest change as Last-Modified', async () => {
      await plant();
      await world.setTime('2026-11-20T18:00:00Z');
      const { body, headers } = await send('GET /resource_providers', newest).expect(200);
      const shown = await Promise.all(
        [1, 2, 3, 4].map(
          async (number) =>
            (await send(`GET /resource_providers/${provider(number)}`, newest)).body as unknown,
        ),
      );
      expect(body.resource_providers).to.have.deep.members(shown);
      expect(headers['last-modified']).to.equal('Fri, 20 Nov 2026 12:00:00 GMT');
    });

    it('returns 400 for limit, marker and sort parameters', async () => {
      for (const name of ['limit', 'marker', 'sort_key', 'a[b]']) {
        const refused = await list(`${name}=1`);
        expectRefusal(
          refused,
          400,
          new RegExp(
            '^Invalid query string parameters: Additional properties are not allowed ' +
              `\\('${name.replace(/[[\]]/g, '\\$&')}' was unexpected\\)`,
          ),
        );
      }
    });

    it('returns 400 for bytes that are not UTF-8', async () => {
      expectRefusal(
        await list('name=%ff'),
        400,
        /^Invalid query string parameters: 'utf-8' codec can't decode/,
      );
    });
  });

  describe('GET /resource_providers?name and uuid', () => {
    beforeEach(plant);

    it('filters by the exact last name, and ignores an empty one', async () => {
      expect(await found('name=one', '1.0')).to.deep.equal([1]);
      expect(await found('name=on', '1.0')).to.deep.equal([]);
      expect(await found('name=', '1.0')).to.deep.equal([1, 2, 3, 4]);
      expect(await found('name=one&name=two', '1.0')).to.deep.equal([2]);
    });

    it('decodes + and escapes like a form', async () => {
      expect(await found('name=Vier+%C3%84')).to.deep.equal([4]);
      expect(await found('name=Vier%20%c3%84')).to.deep.equal([4]);
    });

    it('filters by UUID, and returns 400 without its dashes', async () => {
      expect(await found(`uuid=${provider(2)}`, '1.0')).to.deep.equal([2]);
      expect(await found(`uuid=${provider(9)}`, '1.0')).to.deep.equal([]);
      for (const bad of ['zz', '', provider(2).replaceAll('-', '')]) {
        expectRefusal(
          await list(`uuid=${bad}`),
          400,
          new RegExp(
            `^Invalid query string parameters: '${bad}' is not a 'uuid'  Failed validating ` +
              "'format'",
          ),
        );
      }
    });

    it('combines all filters', async () => {
      expect(
        await found(`name=two&member_of=${aggregate(1)}&required=CUSTOM_A&uuid=${provider(2)}`),
      ).to.deep.equal([2]);
      expect(await found(`name=two&required=!CUSTOM_A`)).to.deep.equal([]);
    });
  });

  describe('GET /resource_providers?member_of', () => {
    beforeEach(plant);

    it('returns the providers that are in the aggregate themselves', async () => {
      expect(await found(`member_of=${aggregate(1)}`, '1.3')).to.deep.equal([1, 2]);
      expect(await found(`member_of=in:${aggregate(1)},${aggregate(2)}`, '1.3')).to.deep.equal([
        1, 2, 3,
      ]);
      expect(await found(`member_of=in:${aggregate(2)}`, '1.3')).to.deep.equal([2, 3]);
      expect(await found(`member_of=${aggregate(9)}`, '1.3')).to.deep.equal([]);
    });

    it('requires all occurrences to match, from 1.24 on', async () => {
      const both = `member_of=${aggregate(1)}&member_of=${aggregate(2)}`;
      expect(await found(both, '1.24')).to.deep.equal([2]);
      expectRefusal(
        await list(both, '1.23'),
        400,
        'Multiple member_of parameters are not supported',
      );
    });

    it('excludes aggregates with !, from 1.32 on', async () => {
      expect(await found(`member_of=!${aggregate(1)}`, '1.32')).to.deep.equal([3, 4]);
      expect(await found(`member_of=!in:${aggregate(1)},${aggregate(2)}`, '1.32')).to.deep.equal([
        4,
      ]);
      expect(await found(`member_of=!${aggregate(9)}`, '1.32')).to.deep.equal([1, 2, 3, 4]);
      expect(
        await found(`member_of=${aggregate(2)}&member_of=!${aggregate(1)}`, '1.32'),
      ).to.deep.equal([3]);
      const refused = await list(`member_of=!${aggregate(1)}`, '1.31');
      expectRefusal(
        refused,
        400,
        'Forbidden member_of parameters are not supported in the specified microversion',
      );
    });

    it('returns 400 for malformed UUIDs, and for several UUIDs without in:', async () => {
      const prefixed =
        "Multiple values for 'member_of' must be prefixed with the 'in:' or '!in:' keyword " +
        'using the valid microversion. Got: ';
      const two = `${aggregate(1)},${aggregate(2)}`;
      expectRefusal(await list(`member_of=${two}`), 400, `${prefixed}${two}`);
      const expected =
        "Invalid query string parameters: Expected 'member_of' parameter to contain valid " +
        'UUID(s). Got: ';
      for (const [value, bad] of [
        ['x', 'x'],
        ['in:x', 'x'],
        ['', ''],
        ['in:', ''],
        [`in:${aggregate(1)},x`, 'x'],
        ['!x', 'x'],
      ] as const) {
        expectRefusal(await list(`member_of=${value}`), 400, `${expected}${bad}`);
      }
    });

    it('returns 400 before 1.3', async () => {
      expectRefusal(
        await list(`member_of=${aggregate(1)}`, '1.2'),
        400,
        /'member_of' was unexpected/,
      );
    });
  });

  describe('GET /resource_providers?resources', () => {
    beforeEach(plant);

    it('returns the providers that have all amounts free by themselves #placement-11', async () => {
      expect(await found('resources=VCPU:1', '1.4')).to.deep.equal([1, 3]);
      expect(await found('resources=VCPU:6', '1.4')).to.deep.equal([1]);
      expect(await found('resources=VCPU:7', '1.4')).to.deep.equal([]);
      expect(await found('resources=VCPU:1,MEMORY_MB:20', '1.4')).to.deep.equal([1]);
      expect(await found('resources=DISK_GB:1', '1.4')).to.deep.equal([]);
    });

    it('checks min_unit, max_unit and step_size', async () => {
      for (const [amount, fits] of [
        [10, false],
        [20, true],
        [25, false],
        [50, true],
        [60, false],
      ] as const) {
        expect(await found(`resources=MEMORY_MB:${amount}`), String(amount)).to.deep.equal(
          fits ? [1] : [],
        );
      }
    });

    it('subtracts used amounts #placement-11', async () => {
      await claim(send, consumer(1), { [provider(3)]: { VCPU: 1 }, [provider(1)]: { VCPU: 4 } });
      expect(await found('resources=VCPU:2')).to.deep.equal([1]);
      expect(await found('resources=VCPU:3')).to.deep.equal([]);
    });

    it('parses numbers like Python, and uses the last occurrence', async () => {
      for (const query of [
        'VCPU:%2B6',
        'VCPU:%206',
        'VCPU:0_6',
        'VCPU:99,VCPU:6',
        'VCPU:99&resources=VCPU:6',
      ]) {
        expect(await found(`resources=${query}`), query).to.deep.equal([1]);
      }
    });

    it('returns 400 for a malformed amount and an unknown class', async () => {
      const formed =
        'Badly formed resources parameter. Expected resources query string parameter in ' +
        'form: ?resources=VCPU:2,MEMORY_MB:1024. Got: ';
      for (const [value, message] of [
        ['', `${formed}empty string.`],
        ['VCPU', `${formed}VCPU.`],
        ['VCPU:1,', `${formed}.`],
        ['VCPU:1:2', `${formed}VCPU:1:2.`],
        ['VCPU:fred', 'Requested resource VCPU expected positive integer amount. Got: fred.'],
        ['VCPU:', 'Requested resource VCPU expected positive integer amount. Got: .'],
        ['VCPU:1.0', 'Requested resource VCPU expected positive integer amount. Got: 1.0.'],
        ['VCPU:0', 'Requested resource VCPU requires amount >= 1. Got: 0.'],
        ['VCPU:-2', 'Requested resource VCPU requires amount >= 1. Got: -2.'],
        ['NOPE:1', 'Invalid resource class in resources parameter: No such resource class NOPE.'],
      ] as const) {
        expectRefusal(await list(`resources=${value}`), 400, message);
      }
    });

    it('returns 400 before 1.4', async () => {
      expectRefusal(await list('resources=VCPU:1', '1.3'), 400, /'resources' was unexpected/);
    });
  });

  describe('GET /resource_providers?in_tree', () => {
    beforeEach(plant);

    it('returns the whole tree of any of its providers', async () => {
      expect(await found(`in_tree=${provider(2)}`, '1.14')).to.deep.equal([2, 3]);
      expect(await found(`in_tree=${provider(3)}`, '1.14')).to.deep.equal([2, 3]);
      expect(await found(`in_tree=${provider(9)}`, '1.14')).to.deep.equal([]);
    });

    it('returns 400 for a malformed UUID', async () => {
      expectRefusal(
        await list('in_tree=x'),
        400,
        /^Invalid query string parameters: 'x' is not a 'uuid'/,
      );
    });

    it('returns 400 before 1.14', async () => {
      expectRefusal(await list(`in_tree=${provider(2)}`, '1.13'), 400, /'in_tree' was unexpected/);
    });
  });

  describe('GET /resource_providers?required', () => {
    beforeEach(plant);

    it('returns the providers that have all traits themselves', async () => {
      expect(await found('required=CUSTOM_A', '1.18')).to.deep.equal([1, 2]);
      expect(await found('required=CUSTOM_A,CUSTOM_B', '1.18')).to.deep.equal([2]);
      expect(await found('required=+CUSTOM_A+,+CUSTOM_B', '1.18')).to.deep.equal([2]);
    });

    it('excludes traits with !, from 1.22 on', async () => {
      expect(await found('required=!CUSTOM_A', '1.22')).to.deep.equal([3, 4]);
      expect(await found('required=CUSTOM_B,!CUSTOM_A', '1.22')).to.deep.equal([3]);
      expect(await found('required=!!CUSTOM_A', '1.22')).to.deep.equal([3, 4]);
      expectRefusal(
        await list('required=!CUSTOM_A', '1.21'),
        400,
        `${badGrammar('HW_CPU_X86_VMX,CUSTOM_MAGIC')}. Got: !CUSTOM_A`,
      );
    });

    it('accepts in: and repetitions, from 1.39 on', async () => {
      expect(await found('required=in:CUSTOM_A,CUSTOM_B')).to.deep.equal([1, 2, 3]);
      expect(await found('required=in:CUSTOM_A,CUSTOM_B&required=!CUSTOM_A')).to.deep.equal([3]);
      expect(await found('required=CUSTOM_A&required=CUSTOM_B')).to.deep.equal([2]);
      expect(
        await found('required=CUSTOM_A&required=CUSTOM_B', '1.38'),
        'the last counts',
      ).to.deep.equal([2, 3]);
      const message =
        "Invalid query string parameters: The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC' only " +
        'supported since microversion 1.39. Got: in:CUSTOM_A';
      expectRefusal(await list('required=in:CUSTOM_A', '1.38'), 400, message);
    });

    it('returns 400 for a malformed value and an unknown trait', async () => {
      for (const [value, version, message] of [
        ['', '1.18', `${badGrammar('HW_CPU_X86_VMX,CUSTOM_MAGIC')}. Got an empty trait in: `],
        [
          'CUSTOM_A,',
          '1.22',
          `${badGrammar('HW_CPU_X86_VMX,!CUSTOM_MAGIC')}. Got an empty trait in: CUSTOM_A,`,
        ],
        ['!', '1.22', `${badGrammar('HW_CPU_X86_VMX,!CUSTOM_MAGIC')}. Got an empty trait in: !`],
        [
          'in:',
          newest,
          `${badGrammar('in:HW_CPU_X86_VMX,CUSTOM_MAGIC')}. Got an empty trait in: in:`,
        ],
        [
          'in:!CUSTOM_A',
          newest,
          "Invalid query string parameters: The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC' does " +
            'not support forbidden traits. Got: in:!CUSTOM_A',
        ],
        [
          'CUSTOM_NOPE',
          '1.18',
          'Invalid trait(s) in "required" parameter: No such trait(s): CUSTOM_NOPE.',
        ],
        [
          '!CUSTOM_NOPE',
          '1.22',
          'Invalid trait(s) in "required" parameter: No such trait(s): CUSTOM_NOPE.',
        ],
        [
          'custom_a',
          '1.18',
          'Invalid trait(s) in "required" parameter: No such trait(s): custom_a.',
        ],
      ] as const) {
        expectRefusal(await list(`required=${value}`, version), 400, message);
      }
    });

    it('returns 400 before 1.18', async () => {
      expectRefusal(await list('required=CUSTOM_A', '1.17'), 400, /'required' was unexpected/);
    });
  });
});
