// Tasks, for administrators. Upstream: glance/api/v2/tasks.py.
import { ApiError, badRequest, methodNotAllowed, notFound } from '../../../kernel/errors.ts';
import { created, ok } from '../../../kernel/http/reply.ts';
import { isUuidLike } from '../../../kernel/ids.ts';
import type { Reply } from '../../../kernel/model.ts';
import { limitOf } from '../../../kernel/oslo/paging.ts';
import type { Query } from '../../../kernel/query.ts';
import type { ImageCall } from '../call.ts';
import { mayDownload } from '../domain/imports/download.ts';
import { newImageOf } from '../domain/new-image.ts';
import { pageLimitsOf } from '../domain/settings.ts';
import { createTask, findTask, listTasks } from '../domain/tasks.ts';
import { taskStatuses, type Task, type TaskType } from '../model.ts';
import { authorizeRule } from '../policy.ts';
import { collectionLinks } from '../views/links.ts';
import { taskSummary, taskView } from '../views/tasks.ts';
import { isDescending } from './metadefs/list-query.ts';
import { checkBody, checkSchema } from './schema-check.ts';

const sortKeys = {
  id: 'id',
  type: 'type',
  status: 'status',
  owner: 'owner',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  expires_at: 'expiresAt',
} as const;

/** GET /v2/tasks */
export async function list(call: ImageCall): Promise<Reply> {
  const { query } = call;
  authorizeRule(call, 'tasks_api_access');
  const descending = isDescending(query);
  const filters = filtersOf(query);
  const marker = query.last('marker');
  if (marker !== undefined && !isUuidLike(marker)) throw badRequest('Invalid marker format');
  const limit = limitOf(query, await pageLimitsOf(call));
  const key = query.last('sort_key') ?? 'created_at';
  const after = marker === undefined ? undefined : await findTask(call, marker);
  if (marker !== undefined && !after)
    throw badRequest(`Task with the given id ${marker} was not found`);
  if (!Object.hasOwn(sortKeys, key)) throw badRequest('Sort key supplied was not valid.');
  const fields = new Set([sortKeys[key as keyof typeof sortKeys], 'createdAt', 'id'] as const);
  const found = await listTasks(call, {
    ...filters,
    sort: [...fields].map((field) => ({ field, descending, fill: 0 })),
    after,
    limit,
  });
  const next = found.length && found.length === limit ? found.at(-1)!.id : undefined;
  return ok({
    tasks: found.map(taskSummary),
    ...collectionLinks(query, '/v2/tasks', next),
    schema: '/v2/schemas/tasks',
  });
}

/** @throws 400 */
function filtersOf(query: Query): {
  status: Task['status'] | undefined;
  type: TaskType | undefined;
} {
  const [status, type] = [query.last('status'), query.last('type')];
  if (status && !taskStatuses.some((one) => one === status))
    throw badRequest(`Invalid status value: ${status}`);
  if (type && type !== 'import') throw badRequest(`Invalid type value: ${type}`);
  return {
    status: status ? (status as Task['status']) : undefined,
    type: type ? 'import' : undefined,
  };
}

interface TaskBody {
  readonly type: TaskType;
  readonly input: Readonly<Record<string, unknown>> | null;
}

/** POST /v2/tasks */
export async function create(call: ImageCall): Promise<Reply> {
  authorizeRule(call, 'tasks_api_access');
  const required = ['type', 'input'].find((name) => !Object.hasOwn(call.body as object, name));
  if (required) throw badRequest(`Task '${required}' is required`);
  await checkBody(call, 'task', call.route.method, call.route.path, call.body);
  const { type, input } = call.body as TaskBody;
  if (type === 'import') await checkSource(call, input?.['import_from']);
  const imageId = input?.['image_id'];
  const task = await createTask(call, {
    type,
    imageId: typeof imageId === 'string' && imageId.length <= 36 ? imageId : null,
    input,
    requestId: call.requestId,
    isValid: type !== 'import' || (await describesImage(call, input?.['image_properties'])),
  });
  return created(taskView(task), {
    location: `${call.origin}${call.prefix}/v2/tasks/${task.id}`,
  });
}

/** @throws 400 for a source that images are not downloaded from */
async function checkSource(call: ImageCall, source: unknown): Promise<void> {
  if (!source || typeof source !== 'string')
    throw badRequest(`Invalid location: ${source ? JSON.stringify(source) : 'None'}`);
  if (/^file(system)?:\/\/\//.test(source))
    throw badRequest(
      'File based imports are not allowed. Please use a non-local source of image data.',
    );
  if (!/^https?:\/\//.test(source))
    throw badRequest(
      'The given uri is not valid. Please specify a valid uri from the following list of ' +
        "supported uri ['http']",
    );
  if (!(await mayDownload(call, source)))
    throw badRequest(`URI for legacy import task does not pass filtering: ${source}`);
}

/** Whether a task's properties describe an image that can be created. */
async function describesImage(call: ImageCall, given: unknown): Promise<boolean> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false;
  try {
    await checkSchema(call, given);
    newImageOf(null, given as Record<string, unknown>);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** GET /v2/tasks/{task_id} */
export async function show(call: ImageCall): Promise<Reply> {
  authorizeRule(call, 'tasks_api_access');
  const id = call.params['task_id']!;
  const task = await findTask(call, id);
  if (!task) throw notFound(`Could not find task ${id}`);
  return ok(taskView(task));
}

/** DELETE /v2/tasks/{task_id}, which upstream refuses, too. */
export function remove(call: ImageCall): Reply {
  authorizeRule(call, 'tasks_api_access');
  throw methodNotAllowed(
    'This operation is currently not permitted on Glance Tasks. They are auto deleted after ' +
      'reaching the time based on their expires_at property.',
    { headers: { allow: 'GET' } },
  );
}
