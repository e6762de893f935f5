// Candidates in a tree of providers, by examples.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { candidateNotation } from './candidate-notation.ts';
import {
  aggregate,
  senderFor,
  claim,
  consumer,
  makeProvider,
  newest,
  provider,
} from './helpers.ts';

onEachDatabase('Placement: allocation candidates', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const { found, mapped, summarised } = candidateNotation(send);
  const none = 'group_policy=none';

  describe('GET /allocation_candidates in a tree', () => {
    /** The root 1 is in an aggregate; its children 2 and 3 have 4 each, and one trait each. */
    beforeEach(async () => {
      await makeProvider(send, provider(1), { aggregates: [aggregate(1)] });
      await makeProvider(send, provider(2), {
        parent: provider(1),
        inventories: { DISK_GB: 4 },
        traits: ['CUSTOM_T1'],
      });
      await makeProvider(send, provider(3), {
        parent: provider(1),
        inventories: { DISK_GB: 4 },
        traits: ['CUSTOM_T2'],
      });
      await send('PUT /traits/CUSTOM_T3', newest).expect(201);
    });

    it('returns every fitting provider, and whole trees in the summaries from 1.29', async () => {
      for (const version of ['1.28', '1.29', newest])
        expect(await found('resources=D:1', version)).to.have.members(['2 D:1', '3 D:1']);
      expect(await summarised('resources=D:1', '1.29')).to.have.members(['1', '2', '3']);
      expect(await summarised('resources=D:1', '1.28')).to.have.members(['2', '3']);
    });

    it('filters by required, forbidden, all and any traits', async () => {
      expect(await found('resources=D:1&required=CUSTOM_T1')).to.deep.equal(['2 D:1']);
      expect(await found('resources=D:1&required=!CUSTOM_T1')).to.deep.equal(['3 D:1']);
      expect(await found('resources=D:1&required=CUSTOM_T1,CUSTOM_T2')).to.deep.equal([]);
      expect(await found('resources=D:1&required=in:CUSTOM_T1,CUSTOM_T3')).to.deep.equal(['2 D:1']);
      expect(await found('resources=D:1&required=CUSTOM_T3')).to.deep.equal([]);
    });

    it('uses only the last required parameter before 1.39', async () => {
      expect(
        await found('resources=D:1&required=CUSTOM_T1&required=CUSTOM_T2', '1.38'),
      ).to.deep.equal(['3 D:1']);
      expect(
        await found('resources=D:1&required=CUSTOM_T1&required=CUSTOM_T2', '1.39'),
      ).to.deep.equal([]);
    });

    it('searches the whole tree of the provider in in_tree', async () => {
      expect(await found(`resources=D:1&in_tree=${provider(2)}`)).to.have.members([
        '2 D:1',
        '3 D:1',
      ]);
      await makeProvider(send, provider(4), { inventories: { DISK_GB: 4 } });
      expect(await found(`resources=D:1&in_tree=${provider(2)}`)).to.have.members([
        '2 D:1',
        '3 D:1',
      ]);
      expect(await found(`resources=D:1&in_tree=${provider(4)}`)).to.deep.equal(['4 D:1']);
      expect(await found(`resources=D:1&in_tree=${provider(99)}`)).to.deep.equal([]);
    });

    it('distinguishes candidates by the provider of each group', async () => {
      expect(await mapped(`resources1=D:1&resources2=D:1&${none}`)).to.have.members([
        '2 D:2 <1=2 2=2>',
        '2 D:1, 3 D:1 <1=2 2=3>',
        '2 D:1, 3 D:1 <1=3 2=2>',
        '3 D:2 <1=3 2=3>',
      ]);
      expect(await mapped('resources1=D:1&resources2=D:1&group_policy=isolate')).to.have.members([
        '2 D:1, 3 D:1 <1=2 2=3>',
        '2 D:1, 3 D:1 <1=3 2=2>',
      ]);
    });

    it('returns candidates that differ only in their mappings before 1.34', async () => {
      expect(
        await found('resources1=D:1&resources2=D:1&group_policy=isolate', '1.33'),
      ).to.deep.equal(['2 D:1, 3 D:1', '2 D:1, 3 D:1']);
    });

    it("does not exceed a provider's inventory with the sum of several groups", async () => {
      expect(await mapped(`resources1=D:3&resources2=D:3&${none}`)).to.have.members([
        '2 D:3, 3 D:3 <1=2 2=3>',
        '2 D:3, 3 D:3 <1=3 2=2>',
      ]);
    });

    it('maps a group without resources to its provider', async () => {
      expect(
        await mapped(`resources1=D:1&required2=CUSTOM_T1&same_subtree=1,2&${none}`),
      ).to.deep.equal(['2 D:1 <1=2 2=2>']);
      expect(
        await mapped(`resources1=D:1&required2=CUSTOM_T1&same_subtree=2&${none}`),
      ).to.have.members(['2 D:1 <1=2 2=2>', '3 D:1 <1=3 2=2>']);
    });

    it("applies the root's aggregates only to the group without a suffix", async () => {
      expect(await found(`resources=D:1&member_of=${aggregate(1)}`)).to.have.members([
        '2 D:1',
        '3 D:1',
      ]);
      expect(await found(`resources1=D:1&member_of1=${aggregate(1)}`)).to.deep.equal([]);
      expect(await found(`resources=D:1&member_of=!${aggregate(1)}`)).to.deep.equal([]);
      expect(await found(`resources1=D:1&member_of1=!${aggregate(1)}`)).to.have.members([
        '2 D:1',
        '3 D:1',
      ]);
      expect(
        await found(`resources=D:1&member_of=${aggregate(9)}`),
        'an aggregate that nobody is in',
      ).to.deep.equal([]);
    });

    it('requires the provider, or its root, to be in all of the aggregates', async () => {
      await send(`PUT /resource_providers/${provider(2)}/aggregates`, '1.18', {
        body: [aggregate(2)],
      }).expect(200);
      const both = `member_of=${aggregate(1)}&member_of=${aggregate(2)}`;
      expect(await found(`resources=D:1&${both}`)).to.deep.equal([]);
      await send(`PUT /resource_providers/${provider(2)}/aggregates`, '1.18', {
        body: [aggregate(1), aggregate(2)],
      }).expect(200);
      expect(await found(`resources=D:1&${both}`)).to.deep.equal(['2 D:1']);
      await send(`PUT /resource_providers/${provider(1)}/aggregates`, '1.18', {
        body: [aggregate(1), aggregate(2)],
      }).expect(200);
      expect(await found(`resources=D:1&${both}`)).to.have.members(['2 D:1', '3 D:1']);
    });

    it('adds the amounts of the groups with and without a suffix, unlike upstream', async () => {
      expect(await found('resources=D:1&resources1=D:1')).to.have.members([
        '2 D:2',
        '2 D:1, 3 D:1',
        '2 D:1, 3 D:1',
        '3 D:2',
      ]);
      expect(await found('resources=D:1&resources1=D:2&group_policy=isolate')).to.have.members([
        '2 D:3',
        '2 D:1, 3 D:2',
        '2 D:2, 3 D:1',
        '3 D:3',
      ]);
    });

    it('combines several providers of a tree from 1.29 on', async () => {
      await makeProvider(send, provider(4), {
        parent: provider(1),
        inventories: { VCPU: 2 },
        traits: ['CUSTOM_T3'],
      });
      expect(await found('resources=D:1,V:1', '1.29')).to.have.members([
        '2 D:1, 4 V:1',
        '3 D:1, 4 V:1',
      ]);
      expect(await found('resources=D:1,V:1', '1.28')).to.deep.equal([]);
    });

    it('combines the traits of the providers that allocate, and of no others', async () => {
      await makeProvider(send, provider(4), {
        parent: provider(1),
        inventories: { VCPU: 2 },
        traits: ['CUSTOM_T3'],
      });
      expect(
        await found('resources=D:1,V:1&required=CUSTOM_T1,CUSTOM_T3'),
        'traits of all providers that allocate',
      ).to.deep.equal(['2 D:1, 4 V:1']);
      expect(
        await found('resources=D:1&required=CUSTOM_T3'),
        'no traits of other providers',
      ).to.deep.equal([]);
      expect(await found('resources=D:1,V:1&required=!CUSTOM_T1')).to.deep.equal(['3 D:1, 4 V:1']);
    });

    it('requires a single provider for a group with a suffix', async () => {
      await makeProvider(send, provider(4), { parent: provider(1), inventories: { VCPU: 2 } });
      expect(
        await found('resources1=D:1,V:1'),
        'a group with a suffix has one provider',
      ).to.deep.equal([]);
    });

    it('applies root_required to every group', async () => {
      await send('PUT /traits/CUSTOM_R', newest).expect(201);
      await send(`PUT /resource_providers/${provider(1)}/traits`, newest, {
        body: { traits: ['CUSTOM_R'], resource_provider_generation: 0 },
      }).expect(200);
      await makeProvider(send, provider(4), { inventories: { DISK_GB: 4 } });
      expect(await found('resources=D:1&root_required=CUSTOM_R')).to.have.members([
        '2 D:1',
        '3 D:1',
      ]);
      expect(await found('resources1=D:1&root_required=!CUSTOM_R')).to.deep.equal(['4 D:1']);
      expect(await found('resources=D:1&root_required=CUSTOM_T1')).to.deep.equal([]);
      expect(await found('resources=D:1&root_required=CUSTOM_R,!CUSTOM_T1')).to.have.members([
        '2 D:1',
        '3 D:1',
      ]);
    });

    it('requires one provider of same_subtree to be an ancestor of all others', async () => {
      await makeProvider(send, provider(4), { parent: provider(2), inventories: { VCPU: 4 } });
      const query = `resources1=D:1&resources2=V:1&${none}`;
      expect(await found(query)).to.have.members(['2 D:1, 4 V:1', '3 D:1, 4 V:1']);
      expect(await found(`${query}&same_subtree=1,2`)).to.deep.equal(['2 D:1, 4 V:1']);
      expect(await found(`${query}&same_subtree=1&same_subtree=2`)).to.have.members([
        '2 D:1, 4 V:1',
        '3 D:1, 4 V:1',
      ]);
      expect(
        await found(`resources1=D:1&resources2=D:1&${none}&same_subtree=1,2`),
        'siblings are not',
      ).to.have.members(['2 D:2', '3 D:2']);
      expect(
        await mapped(
          `resources1=D:1&resources2=V:1&required_r=CUSTOM_T1&same_subtree=1,2,_r&${none}`,
        ),
      ).to.deep.equal(['2 D:1, 4 V:1 <1=2 2=4 _r=2>']);
    });

    it('applies in_tree and forbidden traits to resourceless groups, unlike upstream', async () => {
      await makeProvider(send, provider(4), { inventories: { DISK_GB: 4 }, traits: ['CUSTOM_T1'] });
      const query = `resources1=D:1&required2=CUSTOM_T1&same_subtree=2&${none}`;
      expect(await mapped(`${query}&in_tree2=${provider(4)}`)).to.deep.equal(['4 D:1 <1=4 2=4>']);
      expect(
        await mapped(`resources1=D:1&required2=!CUSTOM_T1&same_subtree=1,2&${none}`),
      ).to.have.members(['2 D:1 <1=2 2=1>', '3 D:1 <1=3 2=1>', '3 D:1 <1=3 2=3>']);
    });
  });
  describe('GET /allocation_candidates and free amounts', () => {
    it('checks min_unit, max_unit, step_size and the capacity', async () => {
      const fields = {
        total: 10,
        reserved: 2,
        allocation_ratio: 1.5,
        min_unit: 2,
        max_unit: 8,
        step_size: 2,
      };
      await makeProvider(send, provider(1), { inventories: { DISK_GB: fields } });
      for (const [amount, fits] of [
        [1, false],
        [2, true],
        [3, false],
        [8, true],
        [10, false],
      ] as const) {
        expect(await found(`resources=D:${amount}`), String(amount)).to.deep.equal(
          fits ? [`1 D:${amount}`] : [],
        );
      }
      await claim(send, consumer(1), { [provider(1)]: { DISK_GB: 6 } });
      expect(await found('resources=D:6')).to.deep.equal(['1 D:6']);
      expect(await found('resources=D:8')).to.deep.equal([]);
    });

    it('checks max_unit for all groups, but min_unit and step_size for each group', async () => {
      await makeProvider(send, provider(1), {
        inventories: { DISK_GB: { total: 100, min_unit: 3, max_unit: 8, step_size: 3 } },
      });
      expect(await found(`resources1=D:3&resources2=D:3&${none}`)).to.deep.equal(['1 D:6']);
      expect(await found(`resources1=D:6&resources2=D:3&${none}`)).to.deep.equal([]);
      await makeProvider(send, provider(2), {
        inventories: { VCPU: { total: 100, step_size: 4 } },
      });
      expect(await found(`resources1=V:4&resources2=V:4&${none}`)).to.deep.equal(['2 V:8']);
    });

    it('returns candidates that can be allocated unchanged', async () => {
      await makeProvider(send, provider(1), { inventories: { DISK_GB: 4 } });
      await makeProvider(send, provider(2), { parent: provider(1), inventories: { VCPU: 4 } });
      const { body: answer } = await send(
        `GET /allocation_candidates?resources1=DISK_GB:3&resources2=VCPU:1&${none}`,
        newest,
      ).expect(200);
      const body = {
        ...answer.allocation_requests[0],
        project_id: 'p',
        user_id: 'u',
        consumer_generation: null,
        consumer_type: 'INSTANCE',
      };
      await send(`PUT /allocations/${consumer(1)}`, newest, { body }).expect(204);
      expect(await found('resources=D:2')).to.deep.equal([]);
      expect(await found('resources=D:1')).to.deep.equal(['1 D:1']);
    });
  });
});
