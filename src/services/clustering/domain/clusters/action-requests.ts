// Reads and checks the actions in the bodies of `POST /clusters/{id}/actions`.
import type { Version } from '../../../../kernel/microversion.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import type { ClusteringVersion } from '../../versions.ts';
import { loadSettings } from '../settings.ts';
import { calculateDesired, sizeProblem } from './size.ts';
import { findNode, policyFor, specified } from '../requests/identities.ts';
import type { Cluster, Json, Node } from '../../model.ts';
import { bad, inUse, invalid, pythonList } from '../refusals.ts';
import {
  booleanField,
  capacityField,
  countField,
  enumField,
  identitiesField,
  isMap,
  numberField,
  replacementsField,
  textField,
} from '../requests/fields.ts';
import { readFields, required, since, type Fields } from '../requests/objects.ts';
import { recoverInputs } from '../requests/recovery.ts';

/** An action to queue for a cluster or a node. */
export interface ActionRequest {
  readonly kind: string;
  readonly inputs: Json;
  /** The beginning of its name, if it is not the default. */
  readonly name?: string;
}

/** A request for an action on a cluster. */
interface Request {
  readonly context: Context;
  /**
   * Finds the cluster. Called after the checks of the body alone, whose errors take precedence.
   * @throws 400, 404
   */
  readonly find: () => Promise<Cluster>;
  /** The id or name by which the client has called the cluster. */
  readonly identity: string;
  readonly given: Json;
  readonly version: Version<ClusteringVersion>;
}

interface ClusterAction {
  readonly since?: ClusteringVersion;
  readonly read: (request: Request) => Promise<ActionRequest>;
}

/** Finds nodes. @returns those found, and the identities that no node, or several, match */
async function findNodes(
  context: Context,
  identities: readonly string[],
): Promise<{ found: Node[]; missing: string[] }> {
  const found: Node[] = [];
  const missing: string[] = [];
  for (const identity of identities) {
    const node = await findNode(context, identity);
    if (node) found.push(node);
    else missing.push(identity);
  }
  return { found, missing };
}

/** The ids of nodes as Python prints a list. */
const idList = (nodes: readonly { readonly id: string }[]): string =>
  pythonList(nodes.map(({ id }) => id));

/** Selects the nodes whose type of profile differs from the cluster's. */
async function nodesOfOtherType(
  { db }: Context,
  cluster: Cluster,
  nodes: readonly Node[],
): Promise<Node[]> {
  const profiles = await store.profiles.among(db, 'id', [
    ...new Set([cluster.profileId, ...nodes.map(({ profileId }) => profileId)]),
  ]);
  const types = new Map(profiles.map(({ id, type }) => [id, type]));
  return nodes.filter(({ profileId }) => types.get(profileId) !== types.get(cluster.profileId));
}

/**
 * @param problems messages, each with the items that it is about; none if it does not apply
 * @throws 400 with one line for each problem
 */
function rejectProblems(problems: readonly (readonly [string, readonly unknown[]])[]): void {
  const messages = problems.filter(([, items]) => items.length).map(([message]) => message);
  if (messages.length) throw bad(messages.join('\n'));
}

const membersField = required(identitiesField);

/** Upstream reads only these keys; without nodes it reads an empty list. */
const memberFields = ({ nodes = [], destroy_after_deletion: destroy }: Json): Json =>
  destroy === undefined ? { nodes } : { nodes, destroy_after_deletion: destroy };

async function addNodes({ context, find, given, version }: Request): Promise<ActionRequest> {
  const { nodes } = readFields({ nodes: membersField }, memberFields(given), version) as {
    nodes: string[];
  };
  const cluster = await find();
  const { found, missing } = await findNodes(context, nodes);
  const mismatched = await nodesOfOtherType(context, cluster, found);
  const owned = found.filter(({ clusterId }) => clusterId);
  const inactive = found.filter(({ status }) => status !== 'ACTIVE');
  rejectProblems([
    [`Profile type of nodes ${idList(mismatched)} does not match that of the cluster.`, mismatched],
    [`Nodes ${idList(owned)} already owned by some cluster.`, owned],
    [`Nodes are not ACTIVE: ${idList(inactive)}.`, inactive],
    [`Nodes not found: ${pythonList(missing)}.`, missing],
  ]);
  await checkSize(context, cluster, cluster.desiredCapacity + found.length);
  return { kind: 'CLUSTER_ADD_NODES', inputs: { nodes: found.map(({ id }) => id) } };
}

/** @throws 400 */
async function checkSize(
  context: Context,
  cluster: Cluster,
  desired: number,
  strict = true,
): Promise<void> {
  const { maxNodesPerCluster: maxNodes } = await loadSettings(context);
  const problem = sizeProblem(cluster, { desired, strict, maxNodes });
  if (problem) throw bad(problem);
}

async function delNodes({ context, find, given, version }: Request): Promise<ActionRequest> {
  const fields = { nodes: membersField, destroy_after_deletion: since('1.4', booleanField) };
  const { nodes, destroy_after_deletion: destroy = false } = readFields(
    fields,
    memberFields(given),
    version,
  ) as { nodes: string[]; destroy_after_deletion?: boolean };
  const cluster = await find();
  const { found, missing } = await findNodes(context, nodes);
  const depended = found.filter(
    ({ dependents }) => (dependents['nodes'] as string[] | undefined)?.length,
  );
  if (depended.length)
    throw inUse(
      'node',
      idList(depended),
      `nodes ${idList(depended)} are depended by other nodes, so can't be deleted or become ` +
        'orphan nodes',
    );
  const nonMembers = found.filter(({ clusterId }) => clusterId !== cluster.id);
  rejectProblems([
    [`Nodes not found: ${pythonList(missing)}.`, missing],
    [`Nodes not members of specified cluster: ${idList(nonMembers)}.`, nonMembers],
  ]);
  await checkSize(context, cluster, cluster.desiredCapacity - found.length);
  const candidates = found.map(({ id }) => id);
  return {
    kind: 'CLUSTER_DEL_NODES',
    inputs: { candidates, count: candidates.length, destroy_after_deletion: destroy },
  };
}

async function replaceNodes({
  context,
  find,
  identity,
  given,
  version,
}: Request): Promise<ActionRequest> {
  const fields = { nodes: required(replacementsField) };
  const { nodes } = readFields(fields, { nodes: given['nodes'] ?? {} }, version) as {
    nodes: Record<string, string>;
  };
  const cluster = await find();
  const old = await findNodes(context, Object.keys(nodes));
  const fresh = await findNodes(context, Object.values(nodes).map(String));
  rejectProblems([[`Original nodes not found: ${pythonList(old.missing)}.`, old.missing]]);
  rejectProblems([[`Replacement nodes not found: ${pythonList(fresh.missing)}.`, fresh.missing]]);
  const nonMembers = old.found.filter(({ clusterId }) => clusterId !== cluster.id);
  const owned = fresh.found.filter(({ clusterId }) => clusterId);
  const inactive = fresh.found.filter(({ status }) => status !== 'ACTIVE');
  const mismatched = await nodesOfOtherType(context, cluster, fresh.found);
  rejectProblems([
    [
      `The specified nodes ${idList(nonMembers)} to be replaced are not members of the ` +
        `cluster ${identity}.`,
      nonMembers,
    ],
    [`Nodes ${idList(owned)} already member of a cluster.`, owned],
    [`Nodes are not ACTIVE: ${idList(inactive)}.`, inactive],
    [`Profile type of nodes ${idList(mismatched)} do not match that of the cluster.`, mismatched],
  ]);
  const candidates = Object.fromEntries(
    old.found.map(({ id }, place) => [id, fresh.found[place]!.id]),
  );
  return { kind: 'CLUSTER_REPLACE_NODES', inputs: { candidates } };
}

const scale = (direction: 'in' | 'out') => async (request: Request) => {
  const { context, find, given, version } = request;
  const { count } = readFields(
    { count: countField },
    { count: given['count'] ?? null },
    version,
  ) as { count?: number };
  const cluster = await find();
  if (count === 0) throw bad(`Count for scale-${direction} request cannot be 0`);
  if (count !== undefined)
    await checkSize(
      context,
      cluster,
      cluster.desiredCapacity + (direction === 'out' ? count : -count),
      false,
    );
  const inputs = count === undefined ? {} : { count };
  return { kind: `CLUSTER_SCALE_${direction.toUpperCase()}`, inputs };
};

const kinds = ['EXACT_CAPACITY', 'CHANGE_IN_CAPACITY', 'CHANGE_IN_PERCENTAGE'];

const resizeFields = (maxNodes: number): Fields => ({
  adjustment_type: enumField(...kinds),
  number: numberField,
  min_size: capacityField(0, maxNodes),
  max_size: capacityField(-1, maxNodes),
  min_step: countField,
  strict: booleanField,
});

interface ResizeRequest {
  readonly adjustment_type?: string;
  readonly number?: number;
  readonly min_size?: number;
  readonly max_size?: number;
  readonly min_step?: number;
  readonly strict?: boolean;
}

/** Checks what does not depend on the cluster. @throws 400 */
function checkResize({
  adjustment_type: type,
  number,
  min_size: min,
  max_size: max,
}: ResizeRequest): void {
  if (type !== undefined && number === undefined)
    throw invalid('Missing number value for size adjustment.');
  if (type === undefined && number !== undefined)
    throw invalid('Missing adjustment_type value for size adjustment.');
  if (min !== undefined && max !== undefined && max > 0 && min > max)
    throw invalid(
      `The specified min_size (${min}) is greater than the specified max_size (${max}).`,
    );
  if (type === 'EXACT_CAPACITY' && number! < 0)
    throw bad("The 'number' must be non-negative integer for adjustment type 'EXACT_CAPACITY'");
}

/**
 * Selects the parameters that upstream reads: those that are not null, and min_step only for
 * percentages.
 * @throws 400 if there are none
 */
function resizeParameters(given: Json): Json {
  const names = [
    'adjustment_type',
    'number',
    'min_size',
    'max_size',
    ...(given['adjustment_type'] === 'CHANGE_IN_PERCENTAGE' ? ['min_step'] : []),
  ];
  const isGiven = (name: string): boolean => given[name] !== undefined && given[name] !== null;
  if (!names.some(isGiven)) throw invalid('Not enough parameters to do resize action.');
  return Object.fromEntries(
    [...names, 'strict'].filter(isGiven).map((name) => [name, given[name]]),
  );
}

async function resize({ context, find, given, version }: Request): Promise<ActionRequest> {
  const { maxNodesPerCluster: maxNodes } = await loadSettings(context);
  const fields = resizeFields(maxNodes);
  const request = readFields(fields, resizeParameters(given), version) as ResizeRequest;
  checkResize(request);
  const {
    adjustment_type: type,
    number,
    min_size: min,
    max_size: max,
    min_step: step,
    strict = true,
  } = request;
  const cluster = await find();
  const isPercentage = type === 'CHANGE_IN_PERCENTAGE';
  const whole = number === undefined || isPercentage ? number : Math.trunc(number);
  const current = await store.countMembers(context.db, cluster.id);
  const desired = type === undefined ? undefined : calculateDesired(current, type, whole!, step);
  const problem = sizeProblem(cluster, { desired, min, max, strict, maxNodes });
  if (problem) throw bad(problem);
  const inputs = {
    adjustment_type: type ?? null,
    number: whole ?? null,
    min_size: min ?? null,
    max_size: max ?? null,
    min_step: step ?? null,
    strict,
  };
  return { kind: 'CLUSTER_RESIZE', inputs };
}

async function attach({ context, find, given, version }: Request): Promise<ActionRequest> {
  const fields = { policy_id: required(textField), enabled: booleanField };
  const { policy_id: identity, enabled = true } = readFields(fields, given, version) as {
    policy_id: string;
    enabled?: boolean;
  };
  await find();
  const { id } = await policyFor(context, identity, specified);
  return {
    kind: 'CLUSTER_ATTACH_POLICY',
    inputs: { policy_id: id, enabled },
    name: 'attach_policy',
  };
}

/** Finds the id of an attached policy. @throws 400 if it is unknown or not attached, 404 */
async function attachedPolicy(
  { context, find, identity }: Request,
  policy: string,
): Promise<string> {
  const cluster = await find();
  const { id } = await policyFor(context, policy, specified);
  if (!(await store.bindings.exists(context.db, { clusterId: cluster.id, policyId: id })))
    throw bad(`The policy '${policy}' is not attached to the specified cluster '${identity}'`);
  return id;
}

async function detach(request: Request): Promise<ActionRequest> {
  const { policy_id: policy } = readFields(
    { policy_id: required(textField) },
    request.given,
    request.version,
  ) as {
    policy_id: string;
  };
  return {
    kind: 'CLUSTER_DETACH_POLICY',
    inputs: { policy_id: await attachedPolicy(request, policy) },
    name: 'detach_policy',
  };
}

async function update(request: Request): Promise<ActionRequest> {
  const fields = { policy_id: required(textField), enabled: booleanField };
  const { policy_id: policy, ...enabled } = readFields(fields, request.given, request.version) as {
    policy_id: string;
    enabled?: boolean;
  };
  return {
    kind: 'CLUSTER_UPDATE_POLICY',
    inputs: { policy_id: await attachedPolicy(request, policy), ...enabled },
    name: 'update_policy',
  };
}

export const clusterActions: Readonly<Record<string, ClusterAction>> = {
  add_nodes: { read: addNodes },
  del_nodes: { read: delNodes },
  replace_nodes: { since: '1.3', read: replaceNodes },
  scale_out: { read: scale('out') },
  scale_in: { read: scale('in') },
  resize: { read: resize },
  policy_attach: { read: attach },
  policy_detach: { read: detach },
  policy_update: { read: update },
  check: {
    read: async ({ find, given }) => {
      await find();
      return { kind: 'CLUSTER_CHECK', inputs: given };
    },
  },
  recover: {
    read: async ({ find, given }) => {
      await find();
      return { kind: 'CLUSTER_RECOVER', inputs: recoverInputs(given, ['check', 'check_capacity']) };
    },
  },
};

/** @throws 400 if the value is not a map */
export function readData(value: unknown): Json {
  if (!isMap(value)) throw invalid('The data provided is not a map');
  return value;
}
