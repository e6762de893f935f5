// Operations on resource classes. PUT renames a class before 1.7, and ensures it from 1.7 on.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/errors.ts';
import { readJson } from '../../../kernel/http/steps.ts';
import { pythonRepr } from '../../../kernel/contract/jsonschema-messages.ts';
import { placementRefusals } from '../errors.ts';
import { isCustomName } from '../domain/names.ts';
import {
  createClass,
  deleteClass,
  ensureClass,
  existingClass,
  renameClass,
} from '../domain/resource-classes.ts';
import { classTable, listNames } from '../store/names.ts';
import { cacheHeaders, newest } from '../views/cache.ts';
import { classUrl, classView } from '../views/resource-classes.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

export async function list(call: PlacementCall): Promise<Reply> {
  const classes = await listNames(call.db, classTable);
  const body = { resource_classes: classes.map((resourceClass) => classView(call, resourceClass)) };
  return ok(body, cacheHeaders(call.version, newest(classes, call.now)));
}

export async function show(call: PlacementCall): Promise<Reply> {
  const found = await existingClass(call.db, call.params['name']!);
  return ok(classView(call, found), cacheHeaders(call.version, newest([found], call.now)));
}

export async function create(call: PlacementCall): Promise<Reply> {
  const { name } = call.body as { name: string };
  await createClass(call, name);
  return created(undefined, { location: call.origin + classUrl(call, name) });
}

export async function rename(call: PlacementCall): Promise<Reply> {
  const { name } = call.body as { name: string };
  return ok(classView(call, await renameClass(call, call.params['name']!, name)));
}

export async function ensure(call: PlacementCall): Promise<Reply> {
  const name = call.params['name']!;
  checkName(name);
  const location = { location: call.origin + classUrl(call, name) };
  return (await ensureClass(call, name)) ? created(undefined, location) : noContent(location);
}

/** Without a body, upstream builds one from the name and validates it by the schema of POST. */
function checkName(text: string): void {
  const { name } = readJson(Buffer.from(`{"name": "${text}"}`), placementRefusals.malformed) as {
    name: string;
  };
  const quoted = pythonRepr(name);
  const violation = !isCustomName(text)
    ? { rule: 'pattern', why: `${quoted} does not match '^CUSTOM_[A-Z0-9_]+$'` }
    : name.length > 255
      ? { rule: 'maxLength', why: `${quoted} is too long` }
      : undefined;
  if (!violation) return;
  throw badRequest(
    `JSON does not validate: ${violation.why}  Failed validating '${violation.rule}' in ` +
      "schema['properties']['name']:     {'maxLength': 255, 'pattern': '^CUSTOM_[A-Z0-9_]+$', " +
      `'type': 'string'}  On instance['name']:     ${quoted}`,
  );
}

export async function remove(call: PlacementCall): Promise<Reply> {
  await deleteClass(call.db, call.params['name']!);
  return noContent();
}
