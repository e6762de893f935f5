// Volume types: list, show, create, update, delete, and who sees those that are not public.
import { ok, reply } from '../../../kernel/http/reply.ts';
import { badRequest, notFound } from '../../../kernel/fault.ts';
import { limitOf, metadataOf, offsetOf } from '../domain/list-query.ts';
import type { Metadata, VolumeType } from '../domain/records.ts';
import { noType } from '../domain/refusals.ts';
import { changeAccess, changeType, createType, defaultType, dropType, typeById, visibleTypes } from '../domain/types.ts';
import { nextLink } from '../views/links.ts';
import { typeAccess, typeView, typeWritten } from '../views/types.ts';
import { allow, bodyOf, truth, viewerOf, type Fields } from './requests.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

/** GET /v3/types */
export async function list(call: VolumeCall): Promise<Reply> {
  allow(call, 'volume_extension:type_get_all');
  const viewer = viewerOf(call);
  const wanted = viewer.isAdmin ? publicOf(call.query.last('is_public')) : undefined;
  const types = sorted(
    call,
    (await visibleTypes(call.db, viewer)).filter((type) => wanted === undefined || type.isPublic === wanted),
  );
  const kept = types.filter((type) => hasSpecs(call, type));
  const marker = call.query.last('marker');
  const at = marker === undefined ? -1 : kept.findIndex(({ id }) => id === marker);
  if (marker !== undefined && at < 0) throw noType(marker);
  const start = at + 1 + offsetOf(call.query.last('offset'));
  const page = kept.slice(start, start + limitOf(call.query));
  return ok({ volume_types: page.map((type) => typeView(call, type)), ...nextLink(call, 'types', 'volume_type_links', page) });
}

/** What administrators ask for: public types where nothing is said, all of them for `None`. */
function publicOf(text: string | undefined): boolean | undefined {
  if (text === undefined) return true;
  if (/^none$/i.test(text)) return undefined;
  if (/^\s*(1|t|true|on|y|yes)\s*$/i.test(text)) return true;
  if (/^\s*(0|f|false|off|n|no)\s*$/i.test(text)) return false;
  throw badRequest(`Invalid is_public filter [${text}]`);
}

/** Whether a type has the extra specs asked for; those that the caller may not see find nothing. */
function hasSpecs(call: VolumeCall, type: VolumeType): boolean {
  const text = call.at.has('3.52') ? call.query.last('extra_specs') : undefined;
  if (text === undefined) return true;
  const seen = (typeView(call, type) as { extra_specs?: Metadata }).extra_specs ?? {};
  return Object.entries(metadataOf(text)).every(([name, value]) => seen[name] === value);
}

function sorted(call: VolumeCall, types: readonly VolumeType[]): VolumeType[] {
  const { query } = call;
  if (query.has('sort') && (query.has('sort_key') || query.has('sort_dir')))
    throw badRequest("The 'sort_key' and 'sort_dir' parameters are deprecated and cannot be used with the 'sort' parameter.");
  const [key = '', direction = 'desc'] = query.has('sort')
    ? query.last('sort')!.split(',')[0]!.trim().split(':')
    : [query.last('sort_key') ?? 'created_at', query.last('sort_dir') ?? 'desc'];
  const keys: Readonly<Record<string, (type: VolumeType) => string | number>> = {
    id: ({ id }) => id,
    name: ({ name }) => name,
    created_at: ({ createdAt }) => createdAt,
    updated_at: ({ updatedAt }) => updatedAt ?? 0,
  };
  if (!Object.hasOwn(keys, key)) throw badRequest(`Invalid input received: Sort key supplied is invalid: ${key}`);
  if (direction !== 'asc' && direction !== 'desc')
    throw badRequest("Invalid input received: Unknown sort direction, must be 'asc' or 'desc'.");
  const of = keys[key]!;
  const ascending = types.toSorted((a, b) => (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : a.id < b.id ? -1 : 1));
  return direction === 'asc' ? ascending : ascending.toReversed();
}

/** The type that the path names. @throws 404 */
export const typeOf = (call: VolumeCall): Promise<VolumeType> => typeById(call.db, viewerOf(call), call.params['type_id']!);

/** GET /v3/types/{type_id}, where `default` is the one of those who do not choose */
export async function show(call: VolumeCall): Promise<Reply> {
  const type = call.params['type_id'] === 'default' ? await defaultType(call.db) : await typeOf(call);
  allow(call, 'volume_extension:type_get');
  return ok({ volume_type: typeView(call, type) });
}

/** POST /v3/types */
export async function create(call: VolumeCall): Promise<Reply> {
  allow(call, 'volume_extension:type_create');
  const fields = bodyOf(call, 'volume_type');
  const specs = Object.entries((fields['extra_specs'] ?? {}) as Record<string, string | null>);
  const type = {
    name: (fields['name'] as string).trim(),
    description: (fields['description'] ?? null) as string | null,
    isPublic: truth(fields['os-volume-type-access:is_public'] ?? true),
    extraSpecs: Object.fromEntries(specs.map(([name, value]) => [name, value ?? ''])),
  };
  if (!type.name)
    throw badRequest(
      "An invalid 'name' value was provided. The name must be: printable characters. Can not start or end with whitespace.",
    );
  const made = await createType(call.db, type, call.now);
  return ok({ volume_type: { ...typeWritten(made), ...typeAccess(call, made) } });
}

/** PUT /v3/types/{type_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  allow(call, 'volume_extension:type_update');
  const { name = null, description = null, is_public: isPublic = null } = bodyOf(call, 'volume_type');
  if (typeof name === 'string' && !name.trim()) throw badRequest('Volume type name can not be empty.');
  if (name === null && description === null && isPublic === null)
    throw badRequest('Specify volume type name, description, is_public or a combination thereof.');
  const before = await typeOf(call);
  const after: VolumeType = {
    ...before,
    ...(name === null ? {} : { name: (name as string).trim() }),
    ...(description === null ? {} : { description: description as string }),
    ...(isPublic === null ? {} : { isPublic: truth(isPublic) }),
  };
  return ok({ volume_type: typeWritten(await changeType(call.db, after, call.now)) });
}

/** DELETE /v3/types/{type_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  allow(call, 'volume_extension:type_delete');
  await dropType(call.db, await typeOf(call));
  return reply(202);
}

/** GET /v3/types/{type_id}/os-volume-type-access */
export async function listAccess(call: VolumeCall): Promise<Reply> {
  allow(call, 'volume_extension:volume_type_access:get_all_for_type');
  const type = await typeOf(call);
  if (type.isPublic) throw notFound('Access list not available for public volume types.');
  return ok({ volume_type_access: type.projects.map((projectId) => ({ volume_type_id: type.id, project_id: projectId })) });
}

/** The names that the body of an action may have. */
export const actionNames: readonly string[] = ['addProjectAccess', 'removeProjectAccess'];

/** POST /v3/types/{type_id}/action */
export async function act(call: VolumeCall): Promise<Reply> {
  const [name] = Object.keys(call.body as Fields);
  allow(call, `volume_extension:volume_type_access:${name!}`);
  const type = await typeOf(call);
  await changeAccess(call.db, type, bodyOf(call, name!)['project'] as string, name === 'addProjectAccess' ? 'add' : 'remove');
  return reply(202);
}
