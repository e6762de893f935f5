// Candidates with providers that share their inventories with other trees.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { candidateNotation } from './candidate-notation.ts';
import { aggregate, senderFor, makeProvider, newest, provider } from './support.ts';

onEachDatabase(
  'Placement: allocation candidates with sharing providers',
  { auth: 'noauth2' },
  (world) => {
    const send = senderFor(world);
    const { found, mapped, summarised } = candidateNotation(send);
    const none = 'group_policy=none';

    describe('GET /allocation_candidates with sharing providers', () => {
      const shares = 'MISC_SHARES_VIA_AGGREGATE';

      /**
       * Providers 1 (V), 2 (V and S) and 4 (S, sharing) are in one aggregate; 3 (V) is in none.
       */
      beforeEach(async () => {
        await makeProvider(send, provider(1), {
          inventories: { VCPU: 4 },
          traits: ['CUSTOM_C1'],
          aggregates: [aggregate(1)],
        });
        await makeProvider(send, provider(2), {
          inventories: { VCPU: 4, SRIOV_NET_VF: 4 },
          aggregates: [aggregate(1)],
        });
        await makeProvider(send, provider(3), { inventories: { VCPU: 4 } });
        await makeProvider(send, provider(4), {
          inventories: { SRIOV_NET_VF: 4 },
          traits: [shares, 'CUSTOM_S1'],
          aggregates: [aggregate(1)],
        });
      });

      it('takes classes from a sharing provider, whether or not the tree has them #placement-3', async () => {
        for (const version of ['1.12', '1.29', newest]) {
          expect(await found('resources=V:1,S:1', version), version).to.have.members([
            '2 S:1, 2 V:1',
            '2 V:1, 4 S:1',
            '1 V:1, 4 S:1',
          ]);
        }
      });

      it('combines the traits of all providers that allocate', async () => {
        expect(await found('resources=V:1,S:1&required=CUSTOM_S1')).to.have.members([
          '2 V:1, 4 S:1',
          '1 V:1, 4 S:1',
        ]);
        expect(await found('resources=V:1,S:1&required=!CUSTOM_S1')).to.deep.equal([
          '2 S:1, 2 V:1',
        ]);
        expect(await found('resources=V:1,S:1&required=CUSTOM_S1,CUSTOM_C1')).to.deep.equal([
          '1 V:1, 4 S:1',
        ]);
      });

      it('excludes sharing providers from a tree selected by in_tree', async () => {
        expect(await found(`resources=V:1,S:1&in_tree=${provider(1)}`)).to.deep.equal([]);
        expect(await found(`resources=V:1,S:1&in_tree=${provider(2)}`)).to.deep.equal([
          '2 S:1, 2 V:1',
        ]);
      });

      it('checks root_required at the root of the tree, not of the sharing provider', async () => {
        expect(await found('resources=V:1,S:1&root_required=CUSTOM_C1')).to.deep.equal([
          '1 V:1, 4 S:1',
        ]);
        expect(await summarised('resources=V:1,S:1&root_required=CUSTOM_C1')).to.have.members([
          '1',
          '4',
        ]);
      });

      it('includes a candidate of a sharing provider alone only once', async () => {
        expect(await found('resources=S:1')).to.have.members(['2 S:1', '4 S:1']);
        expect(await summarised('resources=S:1')).to.have.members(['2', '4']);
      });

      it('selects sharing providers by their own tree for a group with a suffix', async () => {
        expect(
          await mapped(`resources=V:1&resources1=S:1&in_tree1=${provider(4)}`),
        ).to.have.members(['2 V:1, 4 S:1 <1=4 =2>', '1 V:1, 4 S:1 <1=4 =1>']);
      });

      it('includes sharing providers for every tree of another group, unlike upstream', async () => {
        expect(await found('resources=S:1&resources1=V:1')).to.have.members([
          '2 S:1, 2 V:1',
          '2 V:1, 4 S:1',
          '1 V:1, 4 S:1',
        ]);
      });

      it('requires the sharing provider itself to be in the required aggregate', async () => {
        await send(`PUT /resource_providers/${provider(1)}/aggregates`, '1.18', {
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

      it('shares with the whole tree of any provider in the aggregate #placement-3', async () => {
        await makeProvider(send, provider(5), { inventories: { PGPU: 4 } });
        await makeProvider(send, provider(6), { parent: provider(5), aggregates: [aggregate(3)] });
        await makeProvider(send, provider(7), {
          inventories: { FPGA: 4 },
          traits: [shares],
          aggregates: [aggregate(3)],
        });
        expect(await found('resources=P:1,Q:1')).to.deep.equal(['5 P:1, 7 Q:1']);
        expect(await summarised('resources=P:1,Q:1')).to.have.members(['5', '6', '7']);
      });

      it('includes sharing providers below a root of another tree, unlike upstream', async () => {
        await makeProvider(send, provider(5), {
          inventories: { PGPU: 4 },
          aggregates: [aggregate(3)],
        });
        await makeProvider(send, provider(6));
        await makeProvider(send, provider(7), {
          parent: provider(6),
          inventories: { FPGA: 4 },
          traits: [shares],
          aggregates: [aggregate(3)],
        });
        expect(await found('resources=P:1,Q:1')).to.deep.equal(['5 P:1, 7 Q:1']);
        expect(await summarised('resources=P:1,Q:1')).to.have.members(['5', '6', '7']);
        expect(await found(`resources1=P:1&resources2=Q:1&${none}`)).to.deep.equal([
          '5 P:1, 7 Q:1',
        ]);
      });

      it('excludes other trees without a common aggregate or the sharing trait', async () => {
        await send(`PUT /resource_providers/${provider(4)}/aggregates`, '1.18', {
          body: [],
        }).expect(200);
        expect(await found('resources=V:1,S:1')).to.deep.equal(['2 S:1, 2 V:1']);
        expect(await found('resources=S:1')).to.have.members(['2 S:1', '4 S:1']);
      });

      it('includes sharing providers of other trees before 1.29', async () => {
        await makeProvider(send, provider(5), { parent: provider(1), inventories: { DISK_GB: 4 } });
        expect(await found('resources=V:1,S:1', '1.28')).to.have.members([
          '2 S:1, 2 V:1',
          '2 V:1, 4 S:1',
          '1 V:1, 4 S:1',
        ]);
        expect(await summarised('resources=V:1,S:1', '1.28')).to.have.members(['1', '2', '4']);
      });
    });
  },
);
