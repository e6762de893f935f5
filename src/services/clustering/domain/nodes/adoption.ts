// Adoption: nodes for servers that exist already.
import { attempt } from '../../../../kernel/context.ts';
import type { Version } from '../../../../kernel/microversion.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Json, Node, Spec } from '../../model.ts';
import * as store from '../../store/index.ts';
import type { ClusteringVersion } from '../../versions.ts';
import { delegate } from '../delegation.ts';
import { profileTypeFor, unknownType } from '../profiles/index.ts';
import { newProfile } from '../profiles/profiles.ts';
import { operationFailed } from '../refusals.ts';
import { booleanField, mapField, nameField, textField } from '../requests/fields.ts';
import { readFields, required } from '../requests/objects.ts';
import { newNode, randomName } from './new-node.ts';

type At = Version<ClusteringVersion>;

const previewFields = {
  identity: required(textField),
  type: required(textField),
  overrides: mapField,
  snapshot: booleanField,
};
const adoptFields = { ...previewFields, name: nameField, role: textField, metadata: mapField };

/** A request to adopt a server, or to preview that. */
interface AdoptionRequest {
  readonly identity: string;
  readonly type: string;
  readonly overrides?: Json;
  readonly snapshot?: boolean;
  readonly name?: string;
  readonly metadata?: Json;
}

/** The spec of a profile that would create an existing server. @throws 400, 500 */
async function previewSpec(
  context: Context,
  { identity, type: name, overrides = {}, snapshot = false }: AdoptionRequest,
): Promise<Spec> {
  const type = profileTypeFor(name, unknownType);
  const tried = await attempt(context, (inner) =>
    type.driver.preview(inner, identity, overrides, snapshot),
  );
  if ('error' in tried)
    throw operationFailed(`Failed in adopting ${type.name} node: ${tried.error.message}`);
  return { type: type.name, version: type.version, properties: tried.value };
}

/** @throws 400, 500 */
export const previewNode = (context: Context, body: unknown, version: At): Promise<Spec> =>
  previewSpec(context, readFields(previewFields, body, version) as Json & AdoptionRequest);

/** Creates a node, and its profile, for an existing server. @throws 400, 500 */
export async function adoptNode(context: Context, body: unknown, version: At): Promise<Node> {
  const request = readFields(adoptFields, body, version) as Json & AdoptionRequest;
  const { properties, ...frame } = await previewSpec(context, request);
  const { now, db } = context;
  const name = request.name ?? randomName();
  // Properties that the server does not have are left out: the schema accepts no null.
  const given = Object.entries(properties).filter(([, value]) => value !== null);
  const spec = { ...frame, properties: Object.fromEntries(given) };
  const profile = newProfile(context, `prof-${name}`.slice(0, 255), spec, {});
  const owner = await delegate(context);
  await store.profiles.insert(db, profile);
  const node = newNode(now, owner, {
    name,
    profileId: profile.id,
    physicalId: request.identity.slice(0, 64),
    role: '',
    metadata: request.metadata ?? {},
    createdAt: now,
    updatedAt: now,
    status: 'ACTIVE',
    statusReason: 'Node adopted successfully',
  });
  await store.nodes.insert(db, node);
  return node;
}
