// Searches for candidates that have many combinations: what cannot succeed is left early, what is
// long lets others be served.
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
import { asking, makeProvider, newest, provider } from './makers.ts';

const [vcpu, disk, sharing] = [1, 2, 9];

/** A provider with so much of each class, and traits by their ids. */
function node(
  id: number,
  has: Readonly<Record<number, number>>,
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
  const inventories = Object.entries(has).map(([classId, total]) => ({
    classId: Number(classId),
    total,
    ...limits,
  }));
  const rootId = parent ? parent.rootId : id;
  return {
    id,
    uuid: provider(id),
    rootId,
    parentId: parent?.id ?? null,
    parent,
    inventories,
    traits,
    aggregates: [],
  };
}

/** A root with nothing and children that are alike. */
function wideTree(children: number, has: Readonly<Record<number, number>>): ProviderTree {
  const root = node(1, {});
  return {
    root,
    nodes: [root, ...Array.from({ length: children }, (_, index) => node(index + 2, has, root))],
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

interface Sought {
  readonly found: number;
  readonly steps: number;
}

/** Searches trees until there are so many candidates. The sharing providers are of no tree. */
function seek(
  trees: readonly ProviderTree[],
  request: Partial<ResolvedRequest>,
  most: number,
  shared: TreeNode[] = [],
): Sought {
  const whole = {
    groups: [],
    limit: undefined,
    isolate: false,
    rootRequired: [],
    rootForbidden: [],
    sameSubtree: [],
    ...request,
  };
  const matching = matchingOf(whole, true, shared);
  const { effort } = matching;
  let found = 0;
  for (const tree of trees) {
    for (const candidate of candidatesOf(matching, tree, shared)) {
      if (candidate) found++;
      if (found === most || effort.steps > 1_000_000) return { found, steps: effort.steps };
    }
  }
  return { found, steps: effort.steps };
}

describe('Placement: the steps of a search for candidates', () => {
  const few = 20_000;

  it('are few where groups that each want a provider are more than the providers', () => {
    const { found, steps } = seek(
      [wideTree(13, { [vcpu]: 8 })],
      { groups: groups(14, { [vcpu]: 1 }), isolate: true },
      1,
    );
    expect(found).to.equal(0);
    expect(steps).to.be.lessThan(few);
  });

  it('are few where only the last groups are too many for those that they may have', () => {
    const [root, ...children] = wideTree(13, { [vcpu]: 8 }).nodes;
    const tree = { root: root!, nodes: [root!, ...children, node(20, { [disk]: 8 }, root)] };
    const tail = [group('x', { [disk]: 1 }), group('y', { [disk]: 1 })];
    const { found, steps } = seek(
      [tree],
      { groups: [...groups(10, { [vcpu]: 1 }), ...tail], isolate: true },
      1,
    );
    expect(found).to.equal(0);
    expect(steps).to.be.lessThan(few);
  });

  it('are few where groups together want more than the providers have', () => {
    for (const [count, amount, total] of [
      [27, 1, 2],
      [14, 2, 3],
      [14, 3, 5],
    ] as const) {
      const { found, steps } = seek(
        [wideTree(13, { [disk]: total })],
        { groups: groups(count, { [disk]: amount }) },
        1,
      );
      expect(found).to.equal(0);
      expect(steps, `${count} times ${amount} of ${total}`).to.be.lessThan(few);
    }
  });

  it('are few where groups want more than one subtree has, though the tree has it', () => {
    const root = node(1, {});
    const branches = [node(2, {}, root), node(3, {}, root)];
    const leaves = branches.flatMap((branch, index) =>
      Array.from({ length: 8 }, (_, leaf) => node(10 * (index + 1) + leaf, { [vcpu]: 8 }, branch)),
    );
    const tree = { root, nodes: [root, ...branches, ...leaves] };
    const together = [...groups(9, { [vcpu]: 1 }), group('top', {}, [[7]])];
    branches.forEach(({ traits }) => traits.push(7));
    const request = {
      groups: together,
      isolate: true,
      sameSubtree: [together.map((_, index) => index)],
    };
    const { found, steps } = seek([tree], request, 1);
    expect(found).to.equal(0);
    expect(steps).to.be.lessThan(few);
    expect(
      seek(
        [tree],
        {
          ...request,
          groups: together.slice(1),
          sameSubtree: [together.slice(1).map((_, index) => index)],
        },
        1,
      ).found,
    ).to.equal(1);
  });

  it('are few where no choice of providers has all the required traits', () => {
    const tree = wideTree(
      13,
      Object.fromEntries(Array.from({ length: 12 }, (_, classId) => [classId, 4])),
    );
    tree.nodes.forEach(({ traits }, index) => traits.push(100 + index));
    const resources = Object.fromEntries(Array.from({ length: 12 }, (_, classId) => [classId, 1]));
    const each = Array.from({ length: 13 }, (_, index) => [101 + index]);
    const { found, steps } = seek([tree], { groups: [group('', resources, each)] }, 1);
    expect(found).to.equal(0);
    expect(steps).to.be.lessThan(few);
  });

  it('are few where earlier trees had all that sharing providers give', () => {
    const shared = Array.from({ length: 13 }, (_, index) =>
      node(100 + index, { [vcpu]: 8 }, undefined, [sharing]),
    );
    const trees = Array.from({ length: 100 }, (_, index) => ({
      root: node(1000 + index, {}),
      nodes: [node(1000 + index, {})],
    }));
    const { found, steps } = seek(trees, { groups: groups(3, { [vcpu]: 1 }) }, Infinity, shared);
    expect(found).to.equal(13 ** 3);
    expect(steps).to.be.lessThan(few);
  });

  it('are no more than the candidates need, where there are plenty', () => {
    const { found, steps } = seek(
      [wideTree(13, { [vcpu]: 1000 })],
      { groups: groups(200, { [vcpu]: 1 }) },
      5,
    );
    expect(found).to.equal(5);
    expect(steps).to.be.lessThan(few);
  });
});

onEachDatabase('Placement: a reply with many candidates', { auth: 'noauth2' }, (world) => {
  const ask = asking(world);

  const open = (path: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { port } = world.server.address() as AddressInfo;
      const headers = { 'x-auth-token': 'admin', 'openstack-api-version': `placement ${newest}` };
      httpRequest({ port, host: '127.0.0.1', path: `/placement${path}`, headers }, resolve)
        .on('error', reject)
        .end();
    });

  const query = (count: number): string =>
    `/allocation_candidates?${Array.from({ length: count }, (_, index) => `resources${index + 1}=VCPU:1`).join('&')}&group_policy=none`;

  beforeEach(async () => {
    await makeProvider(ask, provider(1));
    for (let number = 2; number <= 14; number++)
      await makeProvider(ask, provider(number), { parent: provider(1), has: { VCPU: 100 } });
  });

  it('is written while others read and write, and nothing of it is missing', async () => {
    const reply = await open(query(4));
    expect(reply.statusCode).to.equal(200);
    expect(reply.headers['content-type']).to.equal('application/json');
    await ask('PUT /traits/CUSTOM_MEANWHILE', newest).expect(201);
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

  it('is not held in memory: its millions of candidates wait for a client to read them', async () => {
    const reply = await open(query(12));
    const [first] = (await reply.iterator({ destroyOnReturn: false }).next()).value as Buffer;
    expect(first).to.equal('{'.charCodeAt(0));
    await ask('GET /traits/CUSTOM_MEANWHILE', newest).expect(404);
    reply.destroy();
    await ask('GET /traits/CUSTOM_MEANWHILE', newest).expect(404);
  });
});
