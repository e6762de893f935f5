// GET /_emulator/explain/candidates: why Placement offers a provider tree, and why not.
import { expect } from 'chai';
import { machineNow } from '../../../src/kernel/clock.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { plant } from './planted-forest.ts';
import {
  aggregate,
  allocationBody,
  consumer,
  makeProvider,
  newest,
  provider,
  senderFor,
} from './support.ts';

interface Rejected {
  readonly root: { readonly name: string };
  readonly causes: readonly { readonly cause: string; readonly text: string }[];
  readonly change: readonly { readonly text: string; readonly change: string }[] | null;
}

interface Explained {
  readonly outcome: string;
  readonly summary: string;
  readonly text: readonly string[];
  readonly details: {
    readonly candidates: number;
    readonly refusal: string | null;
    readonly causes: readonly { readonly cause: string; readonly count: number }[];
    readonly rejected: readonly Rejected[];
  };
}

onEachDatabase(
  'Placement: explanations of candidates',
  { auth: 'noauth2', hosts: '0' },
  (world) => {
    const send = senderFor(world);
    const why = async (query: string, microversion = newest): Promise<Explained> => {
      const parameters = new URLSearchParams({ microversion, query });
      const path = `/_emulator/explain/candidates?${parameters.toString()}`;
      const { body } = await world.ask('', 'GET', path).expect(200);
      return (body as { explanation: Explained }).explanation;
    };
    const only = ({ details }: Explained): Rejected => {
      expect(details.rejected).to.have.length(1);
      return details.rejected[0]!;
    };

    it('names the free amount, the capacity and the consumers of a full provider', async () => {
      await makeProvider(send, provider(1), {
        name: 'one',
        inventories: { VCPU: { total: 8, reserved: 1 } },
      });
      const body = allocationBody({ [provider(1)]: { VCPU: 5 } });
      await send(`PUT /allocations/${consumer(1)}`, '1.12', { body }).expect(204);
      const explained = await why('resources=VCPU:4');
      expect(explained.summary).to.equal('0 candidates from 0 of 1 provider tree.');
      expect(explained.outcome).to.equal('failure');
      const { causes, change } = only(explained);
      expect(causes.map(({ text }) => text)).to.deep.equal([
        'one has 2 of 4 VCPU free (total 8, reserved 1, ratio 1, used 5)',
      ]);
      expect(change!.map(({ text }) => text)).to.deep.equal([
        `free 2 VCPU on one, held by ${consumer(1)} (5)`,
      ]);
    });

    it('names the three largest consumers of each full class', async () => {
      await makeProvider(send, provider(1), { name: 'one', inventories: { VCPU: 8, DISK_GB: 99 } });
      for (const [number, VCPU] of [1, 3, 2, 1].entries()) {
        const body = allocationBody({ [provider(1)]: { VCPU, DISK_GB: 10 + number } });
        await send(`PUT /allocations/${consumer(number + 1)}`, '1.12', { body }).expect(204);
      }
      const { change } = only(await why('resources=VCPU:3'));
      expect(change!.map(({ text }) => text)).to.deep.equal([
        `free 2 VCPU on one, held by ${consumer(2)} (3), ${consumer(3)} (2), ${consumer(1)} (1)`,
      ]);
    });

    it('counts the trees by their first cause', async () => {
      for (const number of [1, 2, 3])
        await makeProvider(send, provider(number), { inventories: { VCPU: number } });
      await makeProvider(send, provider(4), { inventories: { DISK_GB: 10 } });
      const { summary, details } = await why('resources=VCPU:3');
      expect(summary).to.equal('1 candidate from 1 of 4 provider trees.');
      expect(details.causes.map(({ cause, count }) => [cause, count])).to.deep.equal([
        ['amount', 2],
        ['no_inventory', 1],
      ]);
    });

    it('names missing and forbidden traits, and aggregates', async () => {
      await makeProvider(send, provider(1), {
        name: 'one',
        inventories: { VCPU: 4 },
        traits: ['HW_CPU_X86_SSE'],
      });
      const missing = only(await why('resources1=VCPU:1&required1=HW_CPU_X86_AVX'));
      expect(missing.causes[0]!.text).to.equal('one lacks the trait HW_CPU_X86_AVX (group 1)');
      expect(missing.change!.map(({ text }) => text)).to.deep.equal([
        'add the trait HW_CPU_X86_AVX to one',
      ]);
      const forbidden = only(await why('resources=VCPU:1&required=!HW_CPU_X86_SSE'));
      expect(forbidden.causes[0]!.cause).to.equal('trait_forbidden');
      expect(forbidden.change![0]!.change).to.equal('remove_trait');
    });

    it('says which rule of several groups rejects a tree', async () => {
      await makeProvider(send, provider(1), { name: 'one', inventories: { VCPU: 4 } });
      const isolated = 'resources1=VCPU:1&resources2=VCPU:1&group_policy=isolate';
      expect(only(await why(isolated)).causes).to.deep.equal([
        {
          cause: 'rule',
          rules: ['group_policy'],
          text:
            'each group fits by itself, but group_policy=isolate needs a provider for each ' +
            'group',
        },
      ]);
      const together = 'resources1=VCPU:3&resources2=VCPU:3&group_policy=none';
      expect(only(await why(together)).causes[0]!.text).to.include('exceed an inventory together');
    });

    const ofRequest = (id: string) => world.ask('', 'GET', `/_emulator/explain/requests/${id}`);
    const candidates = async (query: string): Promise<string> => {
      const { headers } = await send(`GET /allocation_candidates?${query}`, newest).expect(200);
      return (headers as Record<string, string>)['x-openstack-request-id']!;
    };

    it('keeps why a request has no candidate, under its id', async () => {
      await makeProvider(send, provider(1), { name: 'one', inventories: { VCPU: 2 } });
      const { body } = await ofRequest(await candidates('resources=VCPU:3')).expect(200);
      const { explanation } = body as { explanation: Explained };
      expect(explanation).to.include({ kind: 'candidates', subject: null, outcome: 'failure' });
      expect(explanation.text).to.deep.equal((await why('resources=VCPU:3')).text);
    });

    it('keeps why it has candidates only if the cloud explains all decisions', async () => {
      await makeProvider(send, provider(1), { name: 'one', inventories: { VCPU: 2 } });
      await makeProvider(send, provider(2), { name: 'two', inventories: { VCPU: 1 } });
      const explainAll = (all: boolean) =>
        world.ask('', 'PUT', '/_emulator/explain', { body: { all } }).expect(200);
      await explainAll(false);
      await ofRequest(await candidates('resources=VCPU:2')).expect(404);
      await explainAll(true);
      const { body } = await ofRequest(await candidates('resources=VCPU:2')).expect(200);
      await explainAll(false);
      const { explanation } = body as { explanation: Explained };
      expect(explanation.summary).to.equal('1 candidate from 1 of 2 provider trees.');
      expect(only(explanation).causes[0]!.text).to.include('two has 1 of 2 VCPU free');
    });

    it('keeps an explanation of the first 500 trees only', async () => {
      const none = { parent: null, inventories: {}, used: {}, traits: [], aggregates: [] };
      const trees = Array.from({ length: 501 }, (_, index) => ({ uuid: provider(index), ...none }));
      await transact(world.cloud.firstRegion.database.db, (db) => plant(db, trees, machineNow()));
      const { body } = await ofRequest(await candidates('resources=VCPU:1')).expect(200);
      const { summary, text } = (body as { explanation: Explained }).explanation;
      expect(summary).to.equal('0 candidates from 0 of the first 500 provider trees.');
      expect(text[1]).to.include('  500  no provider has inventory of VCPU: ');
    });

    it('reports a limit, an unknown name and a query that Placement refuses', async () => {
      for (const number of [1, 2])
        await makeProvider(send, provider(number), { inventories: { VCPU: 1 } });
      expect(only(await why('resources=VCPU:1&limit=1')).causes[0]!.cause).to.equal('limit');
      const { details } = await why('resources=CUSTOM_NONE:1');
      expect(details.refusal).to.include('No such resource class CUSTOM_NONE');
      const member = await why(`resources=VCPU:1&member_of=${aggregate(9)}`);
      expect(member.summary).to.include('aggregate');
      const refused = await world.ask(
        '',
        'GET',
        '/_emulator/explain/candidates?query=resources%3DX',
      );
      expect(refused.status).to.equal(400);
    });
  },
);
