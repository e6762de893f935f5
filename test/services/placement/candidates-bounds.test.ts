// Searches with very many combinations: dead ends are detected early, and long searches let other
// requests be served.
import { expect } from 'chai';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  candidatesOf,
  matchingOf,
} from '../../../src/services/placement/domain/candidates/match.ts';
import type {
  ResolvedGroup,
  ResolvedRequest,
} from '../../../src/services/placement/domain/candidates/resolve.ts';
import type { ProviderTree, TreeNode } from '../../../src/services/placement/model.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { senderFor, makeProvider, newest, provider } from './support.ts';

const [vcpu, disk, sharing] = [1, 2, 9];

/** A provider with inventories by class id, and trait ids. */
function node(
  id: number,
  totals: Readonly<Record<number, number>>,
  parent?: TreeNode,
  traits: number[] = [],
): TreeNode {
  const limits = {
    reserved: 0,
    min_unit: 1,
    max_unit: 1000,
    step_size: 1,
    allocation_ratio: 1,
    used: 0,
  };
  const inventories = Object.entries(totals).map(([classId, total]) => ({
    classId: Number(classId),
    total,
    ...limits,
  }));
  const rootId = parent ? parent.rootId : id;
  return {
    id,
    uuid: provider(id),
    name: `provider-${id}`,
    rootId,
    parentId: parent?.id ?? null,
    parent,
    inventories,
    traits,
    aggregates: [],
  };
}

/** A root without inventories and several equal children. */
function wideTree(children: number, totals: Readonly<Record<number, number>>): ProviderTree {
  const root = node(1, {});
  return {
    root,
    nodes: [root, ...Array.from({ length: children }, (_, index) => node(index + 2, totals, root))],
  };
}

function group(
  suffix: string,
  resources: Readonly<Record<number, number>>,
  requiredTraits: number[][] = [],
): ResolvedGroup {
  const amounts = Object.entries(resources).map(([classId, amount]) => ({
    classId: Number(classId),
    amount,
  }));
  return {
    suffix,
    resources: amounts,
    requiredTraits,
    forbiddenTraits: [],
    memberOf: [],
    notMemberOf: [],
    treeRoot: undefined,
  };
}

const groups = (count: number, resources: Readonly<Record<number, number>>): ResolvedGroup[] =>
  Array.from({ length: count }, (_, index) => group(String(index + 1), resources));

interface SearchResult {
  readonly found: number;
  readonly steps: number;
}

/** Searches trees up to a number of candidates. The sharing providers are outside of them. */
function countSteps(
  trees: readonly ProviderTree[],
  request: Partial<ResolvedRequest>,
  limit: number,
  shared: TreeNode[] = [],
): SearchResult {
  const resolved = {
    groups: [],
    limit: undefined,
    isolate: false,
    rootRequired: [],
    rootForbidden: [],
    sameSubtree: [],
    ...request,
  };
  const matching = matchingOf(resolved, true, shared);
  const { progress } = matching;
  let found = 0;
  for (const tree of trees) {
    for (const candidate of candidatesOf(matching, tree, shared)) {
      if (candidate) found++;
      if (found === limit || progress.steps > 1_000_000) return { found, steps: progress.steps };
    }
  }
  return { found, steps: progress.steps };
}

describe('Placement: number of steps of a search for candidates', () => {
  const few = 20_000;

  it('is small for more isolated groups than providers', () => {
    const { found, steps } = countSteps(
      [wideTree(13, { [vcpu]: 8 })],
      { groups: groups(14, { [vcpu]: 1 }), isolate: true },
      1,
    );
    expect(found).to.equal(0);
    expect(steps).to.be.lessThan(few);
  });

  it('is small if only the last groups have too few providers', () => {
    const [root, ...children] = wideTree(13, { [vcpu]: 8 }).nodes;
    const tree = { root: root!, nodes: [root!, ...children, node(20, { [disk]: 8 }, root)] };
    const tail = [group('x', { [disk]: 1 }), group('y', { [disk]: 1 })];
    const { found, steps } = countSteps(
      [tree],
      { groups: [...groups(10, { [vcpu]: 1 }), ...tail], isolate: true },
      1,
    );
    expect(found).to.equal(0);
    expect(steps).to.be.lessThan(few);
  });

  it('is small if the groups exceed the providers in total', () => {
    for (const [count, amount, total] of [
      [27, 1, 2],
      [14, 2, 3],
      [14, 3, 5],
    ] as const) {
      const { found, steps } = countSteps(
        [wideTree(13, { [disk]: total })],
        { groups: groups(count, { [disk]: amount }) },
        1,
      );
      expect(found).to.equal(0);
      expect(steps, `${count} times ${amount} of ${total}`).to.be.lessThan(few);
    }
  });

  it('is small if the groups exceed every subtree, but not the tree', () => {
    const root = node(1, {});
    const branches = [node(2, {}, root), node(3, {}, root)];
    const leaves = branches.flatMap((branch, index) =>
      Array.from({ length: 8 }, (_, leaf) => node(10 * (index + 1) + leaf, { [vcpu]: 8 }, branch)),
    );
    const tree = { root, nodes: [root, ...branches, ...leaves] };
    const allGroups = [...groups(9, { [vcpu]: 1 }), group('top', {}, [[7]])];
    branches.forEach(({ traits }) => (traits as number[]).push(7));
    const request = {
      groups: allGroups,
      isolate: true,
      sameSubtree: [allGroups.map((_, index) => index)],
    };
    const { found, steps } = countSteps([tree], request, 1);
    expect(found).to.equal(0);
    expect(steps).to.be.lessThan(few);
    expect(
      countSteps(
        [tree],
        {
          ...request,
          groups: allGroups.slice(1),
          sameSubtree: [allGroups.slice(1).map((_, index) => index)],
        },
        1,
      ).found,
    ).to.equal(1);
  });

  it('is small if no combination of providers has all required traits', () => {
    const tree = wideTree(
      13,
      Object.fromEntries(Array.from({ length: 12 }, (_, classId) => [classId, 4])),
    );
    tree.nodes.forEach(({ traits }, index) => (traits as number[]).push(100 + index));
    const resources = Object.fromEntries(Array.from({ length: 12 }, (_, classId) => [classId, 1]));
    const each = Array.from({ length: 13 }, (_, index) => [101 + index]);
    const { found, steps } = countSteps([tree], { groups: [group('', resources, each)] }, 1);
    expect(found).to.equal(0);
    expect(steps).to.be.lessThan(few);
  });

  it('is small if earlier trees had all candidates of the sharing providers', () => {
    const shared = Array.from({ length: 13 }, (_, index) =>
      node(100 + index, { [vcpu]: 8 }, undefined, [sharing]),
    );
    const trees = Array.from({ length: 100 }, (_, index) => ({
      root: node(1000 + index, {}),
      nodes: [node(1000 + index, {})],
    }));
    const { found, steps } = countSteps(
      trees,
      { groups: groups(3, { [vcpu]: 1 }) },
      Infinity,
      shared,
    );
    expect(found).to.equal(13 ** 3);
    expect(steps).to.be.lessThan(few);
  });

  it('is proportional to the candidates if there are many', () => {
    const { found, steps } = countSteps(
      [wideTree(13, { [vcpu]: 1000 })],
      { groups: groups(200, { [vcpu]: 1 }) },
      5,
    );
    expect(found).to.equal(5);
    expect(steps).to.be.lessThan(few);
  });
});

onEachDatabase('Placement: reply with many candidates', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);

  const open = (path: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { port } = world.server.address() as AddressInfo;
      const headers = { 'x-auth-token': 'admin', 'openstack-api-version': `placement ${newest}` };
      httpRequest({ port, host: '127.0.0.1', path: `/placement${path}`, headers }, resolve)
        .on('error', reject)
        .end();
    });

  const query = (count: number): string =>
    `/allocation_candidates?group_policy=none` +
    Array.from({ length: count }, (_, index) => `&resources${index + 1}=VCPU:1`).join('');

  beforeEach(async () => {
    await makeProvider(send, provider(1));
    for (let number = 2; number <= 14; number++)
      await makeProvider(send, provider(number), {
        parent: provider(1),
        inventories: { VCPU: 100 },
      });
  });

  it('is complete, and lets other requests be served while it is written', async () => {
    const reply = await open(query(4));
    expect(reply.statusCode).to.equal(200);
    expect(reply.headers['content-type']).to.equal('application/json');
    await send('PUT /traits/CUSTOM_MEANWHILE', newest).expect(201);
    let text = '';
    for await (const piece of reply) text += String(piece);
    const { allocation_requests: candidates, provider_summaries: summaries } = JSON.parse(
      text,
    ) as Record<string, object>;
    expect(new Set((candidates as unknown[]).map((one) => JSON.stringify(one))).size).to.equal(
      13 ** 4,
    );
    expect(Object.keys(summaries!)).to.have.length(14);
  });

  it('is generated only as fast as the client reads it', async () => {
    const reply = await open(query(12));
    const [first] = (await reply.iterator({ destroyOnReturn: false }).next()).value as Buffer;
    expect(first).to.equal('{'.charCodeAt(0));
    await send('GET /traits/CUSTOM_MEANWHILE', newest).expect(404);
    reply.destroy();
    await send('GET /traits/CUSTOM_MEANWHILE', newest).expect(404);
  });
});
