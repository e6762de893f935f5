// Resource classes: list, show, create, rename (before 1.7), ensure (since), delete.
import { isDuplicate, isForeignKey } from '../../../kernel/db/errors.ts';
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { badRequest, conflict, notFound, type Fault } from '../../../kernel/fault.ts';
import { readJson } from '../../../kernel/http/steps.ts';
import { pythonRepr } from '../../../kernel/python/wording.ts';
import { placementRefusals } from '../faults.ts';
import { firstCustomId } from '../domain/standard-classes.ts';
import { classTable, deleteNamed, findNamed, insertNamed, listNamed, renameNamed, type Named } from '../store/names.ts';
import { cacheHeaders, newest } from '../views/cache.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

const href = (call: PlacementCall, name: string): string => `${call.prefix}/resource_classes/${name}`;

const view = (call: PlacementCall, { name }: Named): object => ({ name, links: [{ rel: 'self', href: href(call, name) }] });

export async function list(call: PlacementCall): Promise<Reply> {
  const classes = await listNamed(call.db, classTable);
  return ok({ resource_classes: classes.map((one) => view(call, one)) }, cacheHeaders(call.at, newest(classes, call.now)));
}

export async function show(call: PlacementCall): Promise<Reply> {
  const found = await classOf(call);
  return ok(view(call, found), cacheHeaders(call.at, newest([found], call.now)));
}

async function classOf(call: PlacementCall): Promise<Named> {
  const found = await findNamed(call.db, classTable, call.params['name']!);
  if (!found) throw notFound(`No such resource class ${call.params['name']}.`);
  return found;
}

/** Makes a class. @throws `exists` */
async function make(call: PlacementCall, name: string, exists: Fault): Promise<void> {
  try {
    await insertNamed(call.db, classTable, name, call.now);
  } catch (error) {
    throw isDuplicate(error) ? exists : error;
  }
}

export async function create(call: PlacementCall): Promise<Reply> {
  const { name } = call.body as { name: string };
  await make(call, name, conflict(`Conflicting resource class already exists: ${name}`));
  return created(undefined, { location: call.origin + href(call, name) });
}

export async function rename(call: PlacementCall): Promise<Reply> {
  const found = await classOf(call);
  const { name } = call.body as { name: string };
  if (found.id < firstCustomId) throw badRequest(`Cannot update standard resource class ${found.name}`);
  try {
    await renameNamed(call.db, classTable, found.id, name, call.now);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`Resource class already exists: ${name}`) : error;
  }
  return ok(view(call, { ...found, name }));
}

export async function ensure(call: PlacementCall): Promise<Reply> {
  const name = call.params['name']!;
  checkName(name);
  const location = { location: call.origin + href(call, name) };
  if (await findNamed(call.db, classTable, name)) return noContent(location);
  await make(call, name, conflict(`Conflicting resource class already exists: ${name}`));
  return created(undefined, location);
}

/** There is no body: upstream makes one of the name and holds that against the schema of POST. */
function checkName(given: string): void {
  const { name } = readJson(Buffer.from(`{"name": "${given}"}`), placementRefusals.malformed) as { name: string };
  const shown = pythonRepr(name);
  const rule = !/^CUSTOM_[A-Z0-9_]+$/.test(given)
    ? ['pattern', `${shown} does not match '^CUSTOM_[A-Z0-9_]+$'`]
    : name.length > 255
      ? ['maxLength', `${shown} is too long`]
      : undefined;
  if (!rule) return;
  throw badRequest(
    `JSON does not validate: ${rule[1]}  Failed validating '${rule[0]}' in schema['properties']['name']:     {'maxLength': 255, 'pattern': '^CUSTOM_[A-Z0-9_]+$', 'type': 'string'}  On instance['name']:     ${shown}`,
  );
}

export async function remove(call: PlacementCall): Promise<Reply> {
  const found = await classOf(call);
  const refuse = (why: string): string => `Error in delete resource class: ${why}`;
  if (found.id < firstCustomId) throw badRequest(refuse(`Cannot delete standard resource class ${found.name}.`));
  try {
    await deleteNamed(call.db, classTable, found.id);
  } catch (error) {
    throw isForeignKey(error)
      ? conflict(refuse(`Cannot delete resource class ${found.name}. Class is in use in inventory.`))
      : error;
  }
  return noContent();
}
