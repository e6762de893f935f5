// Reads and checks operations, which the type of a profile offers for its nodes.
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import type { ActionRequest } from '../clusters/action-requests.ts';
import { typeOfProfile } from '../profiles/index.ts';
import type { Cluster, Json, Node, Profile } from '../../model.ts';
import { bad, genericRefusal, invalid } from '../refusals.ts';
import { isMap } from './fields.ts';
import { read, SpecError, type Schema } from '../specs/schema.ts';

/** @throws 400 if the profile does not have the operation, or its parameters are invalid */
function checkOperation(profile: Profile, name: string, parameters: Json): void {
  const { operations } = typeOfProfile(profile);
  if (!Object.hasOwn(operations, name))
    throw bad(
      `The requested operation '${name}' is not supported by the profile type '${profile.type}'`,
    );
  try {
    checkParameters(operations[name]!.parameters ?? {}, parameters);
  } catch (error) {
    if (error instanceof SpecError) throw bad(error.message);
    throw error;
  }
}

function checkParameters(schema: Schema, parameters: Json): void {
  for (const [name, value] of Object.entries(parameters)) {
    if (!Object.hasOwn(schema, name)) throw new SpecError(`Unrecognizable parameter '${name}'`);
    read(schema[name]!, value);
  }
}

const profileOf = async ({ db }: Context, id: string): Promise<Profile> =>
  (await store.profiles.find(db, { id }))!;

/** The fields that nodes can be filtered by. */
const filterFields = {
  name: 'name',
  profile_id: 'profileId',
  status: 'status',
  role: 'role',
} as const;

/** Reads an operation on the nodes of a cluster that match a filter. @throws 400 */
export async function readClusterOperation(
  context: Context,
  cluster: Cluster,
  name: string,
  value: unknown,
): Promise<ActionRequest> {
  const { params = {}, filters = {} } = isMap(value) ? value : {};
  if (!isMap(params) || !isMap(filters)) throw invalid(genericRefusal);
  checkOperation(await profileOf(context, cluster.profileId), name, params);
  const unknown = Object.keys(filters).find((key) => !Object.hasOwn(filterFields, key));
  if (unknown !== undefined) throw bad(`Filter key '${unknown}' is unsupported`);
  const matches = (node: Node): boolean =>
    Object.entries(filters).every(
      ([key, value]) => String(node[filterFields[key as 'name']]) === String(value),
    );
  const nodes = (await store.membersOf(context.db, cluster.id)).filter(matches).map(({ id }) => id);
  if (!nodes.length) throw bad('No node (matching the filter) could be found');
  const inputs = { operation: name, params, nodes };
  return { kind: 'CLUSTER_OPERATION', inputs, name: `cluster_${name}` };
}

/** Reads an operation on a node. @throws 400 */
export async function readNodeOperation(
  context: Context,
  node: Node,
  name: string,
  value: unknown,
): Promise<ActionRequest> {
  const params = value ?? {};
  if (!isMap(params)) throw invalid(genericRefusal);
  checkOperation(await profileOf(context, node.profileId), name, params);
  return { kind: 'NODE_OPERATION', inputs: { operation: name, params }, name: `node_${name}` };
}
