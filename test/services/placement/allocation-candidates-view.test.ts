// The format of candidates at each version.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  aggregate,
  senderFor,
  claim,
  consumer,
  makeProvider,
  newest,
  provider,
} from './helpers.ts';

onEachDatabase('Placement: format of allocation candidates', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const [root, child] = [provider(1), provider(2)];
  const get = (query: string, version: string) =>
    send(`GET /allocation_candidates?${query}`, version).expect(200);
  const vcpu = { capacity: 8, used: 3 };

  /** A root with VCPU (3 of 8 used) and memory, and a child without inventories. */
  beforeEach(async () => {
    await makeProvider(send, root, {
      inventories: { VCPU: { total: 4, allocation_ratio: 2 }, MEMORY_MB: 100 },
      traits: ['CUSTOM_A'],
    });
    await makeProvider(send, child, { parent: root, traits: ['CUSTOM_B'] });
    await claim(send, consumer(1), { [root]: { VCPU: 3 } });
  });

  describe('GET /allocation_candidates', () => {
    const list = [{ allocations: [{ resource_provider: { uuid: root }, resources: { VCPU: 1 } }] }];
    const map = [{ allocations: { [root]: { resources: { VCPU: 1 } } } }];

    for (const [version, requests, summaries] of [
      ['1.10', list, { [root]: { resources: { VCPU: vcpu } } }],
      ['1.11', list, { [root]: { resources: { VCPU: vcpu } } }],
      ['1.12', map, { [root]: { resources: { VCPU: vcpu } } }],
      ['1.16', map, { [root]: { resources: { VCPU: vcpu } } }],
      ['1.17', map, { [root]: { resources: { VCPU: vcpu }, traits: ['CUSTOM_A'] } }],
      ['1.26', map, { [root]: { resources: { VCPU: vcpu }, traits: ['CUSTOM_A'] } }],
      [
        '1.27',
        map,
        {
          [root]: {
            resources: { VCPU: vcpu, MEMORY_MB: { capacity: 100, used: 0 } },
            traits: ['CUSTOM_A'],
          },
        },
      ],
      [
        '1.28',
        map,
        {
          [root]: {
            resources: { VCPU: vcpu, MEMORY_MB: { capacity: 100, used: 0 } },
            traits: ['CUSTOM_A'],
          },
        },
      ],
    ] as const) {
      it(`returns the format of ${version}`, async () => {
        const { body } = await get('resources=VCPU:1', version);
        expect(body).to.deep.equal({
          allocation_requests: requests,
          provider_summaries: summaries,
        });
      });
    }

    it('includes whole trees with parents and roots in the summaries from 1.29 on', async () => {
      const { body } = await get('resources=VCPU:1', '1.29');
      expect(body.provider_summaries).to.deep.equal({
        [root]: {
          resources: { VCPU: vcpu, MEMORY_MB: { capacity: 100, used: 0 } },
          traits: ['CUSTOM_A'],
          parent_provider_uuid: null,
          root_provider_uuid: root,
        },
        [child]: {
          resources: {},
          traits: ['CUSTOM_B'],
          parent_provider_uuid: root,
          root_provider_uuid: root,
        },
      });
      expect(body.allocation_requests).to.deep.equal(map);
    });

    it('includes the mappings of groups to providers from 1.34 on', async () => {
      expect((await get('resources=VCPU:1', '1.33')).body.allocation_requests).to.deep.equal(map);
      expect((await get('resources=VCPU:1', '1.34')).body.allocation_requests).to.deep.equal([
        { ...map[0], mappings: { '': [root] } },
      ]);
      const { body } = await get(
        'resources=VCPU:1&resources_X=MEMORY_MB:5&requiredY=CUSTOM_B&same_subtree=_X,Y&group_policy=none',
        newest,
      );
      expect(body.allocation_requests).to.deep.equal([
        {
          allocations: { [root]: { resources: { VCPU: 1, MEMORY_MB: 5 } } },
          mappings: { '': [root], _X: [root], Y: [child] },
        },
      ]);
    });

    it('truncates the capacity to an integer', async () => {
      await makeProvider(send, provider(3), {
        inventories: { DISK_GB: { total: 3, allocation_ratio: 1.5 } },
      });
      expect(
        (await get('resources=DISK_GB:4', newest)).body.provider_summaries[provider(3)].resources,
      ).to.deep.equal({
        DISK_GB: { capacity: 4, used: 0 },
      });
      expect((await get('resources=DISK_GB:5', newest)).body.allocation_requests).to.deep.equal([]);
    });

    it('limits the summaries to the requested classes before 1.27', async () => {
      const { body } = await get('resources=VCPU:1&resources1=MEMORY_MB:1', '1.25');
      expect(body.provider_summaries[root].resources).to.have.all.keys('VCPU', 'MEMORY_MB');
    });

    it('returns empty lists without providers', async () => {
      for (const version of ['1.10', newest]) {
        expect((await get('resources=FPGA:1', version)).body).to.deep.equal({
          allocation_requests: [],
          provider_summaries: {},
        });
      }
    });

    it('returns the current time as Last-Modified from 1.15 on', async () => {
      expect((await get('resources=VCPU:1', '1.15')).headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT',
        'cache-control': 'no-cache',
      });
      expect((await get('resources=VCPU:1', '1.14')).headers).to.not.have.any.keys(
        'last-modified',
        'cache-control',
      );
    });

    it('excludes trees from which nothing is allocated from the summaries', async () => {
      await makeProvider(send, provider(5), { aggregates: [aggregate(1)], traits: ['CUSTOM_A'] });
      await makeProvider(send, provider(6), {
        inventories: { FPGA: 2 },
        traits: ['MISC_SHARES_VIA_AGGREGATE'],
        aggregates: [aggregate(1)],
      });
      const { body } = await get('resources=FPGA:1&required1=CUSTOM_A&same_subtree=1', newest);
      expect(body.allocation_requests).to.deep.equal([
        {
          allocations: { [provider(6)]: { resources: { FPGA: 1 } } },
          mappings: { '': [provider(6)], 1: [provider(5)] },
        },
      ]);
      expect(body.provider_summaries).to.have.all.keys(provider(6));
    });
  });

  describe('GET /allocation_candidates with a limit', () => {
    beforeEach(async () => {
      for (const number of [3, 4, 5, 6])
        await makeProvider(send, provider(number), { inventories: { DISK_GB: 4 } });
    });

    it('returns at most that many candidates, and the summaries of their trees', async () => {
      for (const [limit, count] of [
        [1, 1],
        [3, 3],
        [9, 4],
      ] as const) {
        const { body } = await get(`resources=DISK_GB:1&limit=${limit}`, newest);
        expect(body.allocation_requests).to.have.length(count);
        const given = (body.allocation_requests as { allocations: object }[]).flatMap(
          ({ allocations }) => Object.keys(allocations),
        );
        expect(body.provider_summaries).to.have.all.keys(given);
      }
    });

    it('applies the limit after removing duplicates and hidden candidates', async () => {
      const shared = {
        inventories: { FPGA: 4 },
        traits: ['MISC_SHARES_VIA_AGGREGATE'],
        aggregates: [aggregate(1)],
      };
      for (const number of [7, 8])
        await makeProvider(send, provider(number), { aggregates: [aggregate(1)] });
      await makeProvider(send, provider(9), shared);
      await makeProvider(send, provider(10), shared);
      expect(
        (await get('resources=FPGA:1&limit=2', newest)).body.allocation_requests,
      ).to.have.length(2);
      await makeProvider(send, provider(11), { inventories: { PGPU: 1 } });
      await makeProvider(send, provider(12), {
        parent: provider(11),
        inventories: { SRIOV_NET_VF: 1 },
      });
      await makeProvider(send, provider(13), { inventories: { PGPU: 1, SRIOV_NET_VF: 1 } });
      const old = await get('resources=PGPU:1,SRIOV_NET_VF:1&limit=1', '1.28');
      expect(Object.keys(old.body.allocation_requests[0].allocations)).to.deep.equal([
        provider(13),
      ]);
    });

    it('returns the first candidates of the list without a limit', async () => {
      const all = (await get('resources=DISK_GB:1', newest)).body.allocation_requests as unknown[];
      expect(
        (await get('resources=DISK_GB:1&limit=2', newest)).body.allocation_requests,
      ).to.deep.equal(all.slice(0, 2));
    });
  });
});
