// Candidates of providers that share what they have with other trees.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { inShort } from './candidates-in-short.ts';
import { aggregate, asking, makeProvider, newest, provider } from './makers.ts';

onEachDatabase('Placement: candidates that are shared', { auth: 'noauth2' }, (world) => {
  const ask = asking(world);
  const { found, mapped, summarised } = inShort(ask);
  const none = 'group_policy=none';

  describe('with providers that share', () => {
    const shares = 'MISC_SHARES_VIA_AGGREGATE';

    /**
     * 1 has V, 2 has V and S, 4 has S and shares it, all in one aggregate; 3 has V and is alone.
     */
    beforeEach(async () => {
      await makeProvider(ask, provider(1), {
        has: { VCPU: 4 },
        traits: ['CUSTOM_C1'],
        aggregates: [aggregate(1)],
      });
      await makeProvider(ask, provider(2), {
        has: { VCPU: 4, SRIOV_NET_VF: 4 },
        aggregates: [aggregate(1)],
      });
      await makeProvider(ask, provider(3), { has: { VCPU: 4 } });
      await makeProvider(ask, provider(4), {
        has: { SRIOV_NET_VF: 4 },
        traits: [shares, 'CUSTOM_S1'],
        aggregates: [aggregate(1)],
      });
    });

    it('take from those what the tree does not have, or has too', async () => {
      for (const version of ['1.12', '1.29', newest]) {
        expect(await found('resources=V:1,S:1', version), version).to.have.members([
          '2 S:1, 2 V:1',
          '2 V:1, 4 S:1',
          '1 V:1, 4 S:1',
        ]);
      }
    });

    it('mind the traits of all who give', async () => {
      expect(await found('resources=V:1,S:1&required=CUSTOM_S1')).to.have.members([
        '2 V:1, 4 S:1',
        '1 V:1, 4 S:1',
      ]);
      expect(await found('resources=V:1,S:1&required=!CUSTOM_S1')).to.deep.equal(['2 S:1, 2 V:1']);
      expect(await found('resources=V:1,S:1&required=CUSTOM_S1,CUSTOM_C1')).to.deep.equal([
        '1 V:1, 4 S:1',
      ]);
    });

    it('do not share into a tree that is asked for by name', async () => {
      expect(await found(`resources=V:1,S:1&in_tree=${provider(1)}`)).to.deep.equal([]);
      expect(await found(`resources=V:1,S:1&in_tree=${provider(2)}`)).to.deep.equal([
        '2 S:1, 2 V:1',
      ]);
    });

    it('look for required traits at the root of the tree, not of who shares', async () => {
      expect(await found('resources=V:1,S:1&root_required=CUSTOM_C1')).to.deep.equal([
        '1 V:1, 4 S:1',
      ]);
      expect(await summarised('resources=V:1,S:1&root_required=CUSTOM_C1')).to.have.members([
        '1',
        '4',
      ]);
    });

    it('are one candidate where only who shares gives something, from however many trees that is reached', async () => {
      expect(await found('resources=S:1')).to.have.members(['2 S:1', '4 S:1']);
      expect(await summarised('resources=S:1')).to.have.members(['2', '4']);
    });

    it('pick who shares by its own tree, for a group with a suffix', async () => {
      expect(await mapped(`resources=V:1&resources1=S:1&in_tree1=${provider(4)}`)).to.have.members([
        '2 V:1, 4 S:1 <1=4 =2>',
        '1 V:1, 4 S:1 <1=4 =1>',
      ]);
    });

    it('keep a candidate of who shares for every tree that another group anchors at, where upstream loses some', async () => {
      expect(await found('resources=S:1&resources1=V:1')).to.have.members([
        '2 S:1, 2 V:1',
        '2 V:1, 4 S:1',
        '1 V:1, 4 S:1',
      ]);
    });

    it('want who shares to be in the required aggregate itself', async () => {
      await ask(`PUT /resource_providers/${provider(1)}/aggregates`, '1.18', {
        body: [aggregate(1), aggregate(2)],
      }).expect(200);
      expect(await found(`resources=V:1,S:1&member_of=${aggregate(2)}`)).to.deep.equal([]);
      expect(await found(`resources=V:1,S:1&member_of=${aggregate(1)}`)).to.have.members([
        '2 S:1, 2 V:1',
        '2 V:1, 4 S:1',
        '1 V:1, 4 S:1',
      ]);
      expect(await found(`resources=V:1,S:1&member_of=!${aggregate(2)}`)).to.have.members([
        '2 S:1, 2 V:1',
        '2 V:1, 4 S:1',
      ]);
    });

    it('share with the whole tree of any member of the aggregate', async () => {
      await makeProvider(ask, provider(5), { has: { PGPU: 4 } });
      await makeProvider(ask, provider(6), { parent: provider(5), aggregates: [aggregate(3)] });
      await makeProvider(ask, provider(7), {
        has: { FPGA: 4 },
        traits: [shares],
        aggregates: [aggregate(3)],
      });
      expect(await found('resources=P:1,Q:1')).to.deep.equal(['5 P:1, 7 Q:1']);
      expect(await summarised('resources=P:1,Q:1')).to.have.members(['5', '6', '7']);
    });

    it('may stand in a tree of their own below a root, where upstream fails', async () => {
      await makeProvider(ask, provider(5), { has: { PGPU: 4 }, aggregates: [aggregate(3)] });
      await makeProvider(ask, provider(6));
      await makeProvider(ask, provider(7), {
        parent: provider(6),
        has: { FPGA: 4 },
        traits: [shares],
        aggregates: [aggregate(3)],
      });
      expect(await found('resources=P:1,Q:1')).to.deep.equal(['5 P:1, 7 Q:1']);
      expect(await summarised('resources=P:1,Q:1')).to.have.members(['5', '6', '7']);
      expect(await found(`resources1=P:1&resources2=Q:1&${none}`)).to.deep.equal(['5 P:1, 7 Q:1']);
    });

    it('do not share without an aggregate, nor without the trait', async () => {
      await ask(`PUT /resource_providers/${provider(4)}/aggregates`, '1.18', { body: [] }).expect(
        200,
      );
      expect(await found('resources=V:1,S:1')).to.deep.equal(['2 S:1, 2 V:1']);
      expect(await found('resources=S:1')).to.have.members(['2 S:1', '4 S:1']);
    });

    it('are taken from other trees before 1.29, too', async () => {
      await makeProvider(ask, provider(5), { parent: provider(1), has: { DISK_GB: 4 } });
      expect(await found('resources=V:1,S:1', '1.28')).to.have.members([
        '2 S:1, 2 V:1',
        '2 V:1, 4 S:1',
        '1 V:1, 4 S:1',
      ]);
      expect(await summarised('resources=V:1,S:1', '1.28')).to.have.members(['1', '2', '4']);
    });
  });
});
