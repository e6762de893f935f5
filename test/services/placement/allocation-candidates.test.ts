// Candidates of a tree of providers: the worked examples.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { inShort } from './candidates-in-short.ts';
import { aggregate, asking, claim, consumer, makeProvider, newest, provider } from './makers.ts';

onEachDatabase('Placement: candidates', { auth: 'noauth2' }, (world) => {
  const ask = asking(world);
  const { found, mapped, summarised } = inShort(ask);
  const none = 'group_policy=none';

  describe('in a tree', () => {
    /** 1 has nothing and is in an aggregate; below it 2 and 3 have 4 each, and a trait each. */
    beforeEach(async () => {
      await makeProvider(ask, provider(1), { aggregates: [aggregate(1)] });
      await makeProvider(ask, provider(2), {
        parent: provider(1),
        has: { DISK_GB: 4 },
        traits: ['CUSTOM_T1'],
      });
      await makeProvider(ask, provider(3), {
        parent: provider(1),
        has: { DISK_GB: 4 },
        traits: ['CUSTOM_T2'],
      });
      await ask('PUT /traits/CUSTOM_T3', newest).expect(201);
    });

    it('are all providers that fit; the summaries show the whole tree, and before 1.29 only those providers', async () => {
      for (const version of ['1.28', '1.29', newest])
        expect(await found('resources=D:1', version)).to.have.members(['2 D:1', '3 D:1']);
      expect(await summarised('resources=D:1', '1.29')).to.have.members(['1', '2', '3']);
      expect(await summarised('resources=D:1', '1.28')).to.have.members(['2', '3']);
    });

    it('are picked by traits: required, forbidden, all of them, any of them', async () => {
      expect(await found('resources=D:1&required=CUSTOM_T1')).to.deep.equal(['2 D:1']);
      expect(await found('resources=D:1&required=!CUSTOM_T1')).to.deep.equal(['3 D:1']);
      expect(await found('resources=D:1&required=CUSTOM_T1,CUSTOM_T2')).to.deep.equal([]);
      expect(await found('resources=D:1&required=in:CUSTOM_T1,CUSTOM_T3')).to.deep.equal(['2 D:1']);
      expect(await found('resources=D:1&required=CUSTOM_T3')).to.deep.equal([]);
    });

    it('have before 1.39 only the last of several required parameters to mind', async () => {
      expect(
        await found('resources=D:1&required=CUSTOM_T1&required=CUSTOM_T2', '1.38'),
      ).to.deep.equal(['3 D:1']);
      expect(
        await found('resources=D:1&required=CUSTOM_T1&required=CUSTOM_T2', '1.39'),
      ).to.deep.equal([]);
    });

    it('are those of the whole tree of a provider, not of what is below it', async () => {
      expect(await found(`resources=D:1&in_tree=${provider(2)}`)).to.have.members([
        '2 D:1',
        '3 D:1',
      ]);
      await makeProvider(ask, provider(4), { has: { DISK_GB: 4 } });
      expect(await found(`resources=D:1&in_tree=${provider(2)}`)).to.have.members([
        '2 D:1',
        '3 D:1',
      ]);
      expect(await found(`resources=D:1&in_tree=${provider(4)}`)).to.deep.equal(['4 D:1']);
      expect(await found(`resources=D:1&in_tree=${provider(99)}`)).to.deep.equal([]);
    });

    it('differ by which group a provider serves', async () => {
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

    it('look the same twice before 1.34, where the groups are not shown', async () => {
      expect(
        await found('resources1=D:1&resources2=D:1&group_policy=isolate', '1.33'),
      ).to.deep.equal(['2 D:1, 3 D:1', '2 D:1, 3 D:1']);
    });

    it('do not ask a provider for more than it has, in several groups together', async () => {
      expect(await mapped(`resources1=D:3&resources2=D:3&${none}`)).to.have.members([
        '2 D:3, 3 D:3 <1=2 2=3>',
        '2 D:3, 3 D:3 <1=3 2=2>',
      ]);
    });

    it('name the provider of a group that asks for no resources', async () => {
      expect(
        await mapped(`resources1=D:1&required2=CUSTOM_T1&same_subtree=1,2&${none}`),
      ).to.deep.equal(['2 D:1 <1=2 2=2>']);
      expect(
        await mapped(`resources1=D:1&required2=CUSTOM_T1&same_subtree=2&${none}`),
      ).to.have.members(['2 D:1 <1=2 2=2>', '3 D:1 <1=3 2=2>']);
    });

    it('count the aggregates of the root for the group without a suffix, and only for that', async () => {
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

    it('must be in all aggregates themselves, or their root in all: not each in one of them', async () => {
      await ask(`PUT /resource_providers/${provider(2)}/aggregates`, '1.18', {
        body: [aggregate(2)],
      }).expect(200);
      const both = `member_of=${aggregate(1)}&member_of=${aggregate(2)}`;
      expect(await found(`resources=D:1&${both}`)).to.deep.equal([]);
      await ask(`PUT /resource_providers/${provider(2)}/aggregates`, '1.18', {
        body: [aggregate(1), aggregate(2)],
      }).expect(200);
      expect(await found(`resources=D:1&${both}`)).to.deep.equal(['2 D:1']);
      await ask(`PUT /resource_providers/${provider(1)}/aggregates`, '1.18', {
        body: [aggregate(1), aggregate(2)],
      }).expect(200);
      expect(await found(`resources=D:1&${both}`)).to.have.members(['2 D:1', '3 D:1']);
    });

    it('sum what the group without a suffix and another ask for, where upstream mixes amounts up', async () => {
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

    it('take classes from several providers of a tree, from 1.29 on', async () => {
      await makeProvider(ask, provider(4), {
        parent: provider(1),
        has: { VCPU: 2 },
        traits: ['CUSTOM_T3'],
      });
      expect(await found('resources=D:1,V:1', '1.29')).to.have.members([
        '2 D:1, 4 V:1',
        '3 D:1, 4 V:1',
      ]);
      expect(await found('resources=D:1,V:1', '1.28')).to.deep.equal([]);
      expect(
        await found('resources=D:1,V:1&required=CUSTOM_T1,CUSTOM_T3'),
        'traits of those who give, together',
      ).to.deep.equal(['2 D:1, 4 V:1']);
      expect(
        await found('resources=D:1&required=CUSTOM_T3'),
        'not of the rest of the tree',
      ).to.deep.equal([]);
      expect(await found('resources=D:1,V:1&required=!CUSTOM_T1')).to.deep.equal(['3 D:1, 4 V:1']);
      expect(
        await found('resources1=D:1,V:1'),
        'a group with a suffix has one provider',
      ).to.deep.equal([]);
    });

    it('mind what the root is like, for every group', async () => {
      await ask('PUT /traits/CUSTOM_R', newest).expect(201);
      await ask(`PUT /resource_providers/${provider(1)}/traits`, newest, {
        body: { traits: ['CUSTOM_R'], resource_provider_generation: 0 },
      }).expect(200);
      await makeProvider(ask, provider(4), { has: { DISK_GB: 4 } });
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

    it('have one of the same subtree above, or at, all the others', async () => {
      await makeProvider(ask, provider(4), { parent: provider(2), has: { VCPU: 4 } });
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

    it('honour the tree of a group without resources, and one that only forbids, unlike upstream', async () => {
      await makeProvider(ask, provider(4), { has: { DISK_GB: 4 }, traits: ['CUSTOM_T1'] });
      const query = `resources1=D:1&required2=CUSTOM_T1&same_subtree=2&${none}`;
      expect(await mapped(`${query}&in_tree2=${provider(4)}`)).to.deep.equal(['4 D:1 <1=4 2=4>']);
      expect(
        await mapped(`resources1=D:1&required2=!CUSTOM_T1&same_subtree=1,2&${none}`),
      ).to.have.members(['2 D:1 <1=2 2=1>', '3 D:1 <1=3 2=1>', '3 D:1 <1=3 2=3>']);
    });
  });
  describe('and what is free', () => {
    it('are only those that fit: used, reserved, ratio, least, greatest, step', async () => {
      const fields = {
        total: 10,
        reserved: 2,
        allocation_ratio: 1.5,
        min_unit: 2,
        max_unit: 8,
        step_size: 2,
      };
      await makeProvider(ask, provider(1), { has: { DISK_GB: fields } });
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
      await claim(ask, consumer(1), { [provider(1)]: { DISK_GB: 6 } });
      expect(await found('resources=D:6')).to.deep.equal(['1 D:6']);
      expect(await found('resources=D:8')).to.deep.equal([]);
    });

    it('mind the greatest unit for the sum of groups, but the least and the step for each alone', async () => {
      await makeProvider(ask, provider(1), {
        has: { DISK_GB: { total: 100, min_unit: 3, max_unit: 8, step_size: 3 } },
      });
      expect(await found(`resources1=D:3&resources2=D:3&${none}`)).to.deep.equal(['1 D:6']);
      expect(await found(`resources1=D:6&resources2=D:3&${none}`)).to.deep.equal([]);
      await makeProvider(ask, provider(2), { has: { VCPU: { total: 100, step_size: 4 } } });
      expect(await found(`resources1=V:4&resources2=V:4&${none}`)).to.deep.equal(['2 V:8']);
    });

    it('may all be claimed as they are', async () => {
      await makeProvider(ask, provider(1), { has: { DISK_GB: 4 } });
      await makeProvider(ask, provider(2), { parent: provider(1), has: { VCPU: 4 } });
      const { body: answer } = await ask(
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
      await ask(`PUT /allocations/${consumer(1)}`, newest, { body }).expect(204);
      expect(await found('resources=D:2')).to.deep.equal([]);
      expect(await found('resources=D:1')).to.deep.equal(['1 D:1']);
    });
  });
});
