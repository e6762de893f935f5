// The work of tasks: they import the data of images from the staging area, from web servers, or
// from another store. Upstream: glance/async_/flows.
import { createHash } from 'node:crypto';
import { ApiError } from '../../../../kernel/errors.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import { latencyOf } from '../../../../kernel/latency.ts';
import type { Context } from '../../../../kernel/model.ts';
import { digestsOf } from '../data.ts';
import { inspect } from '../formats.ts';
import { checkSize, createImage, storeData } from '../images.ts';
import { mebibytes, overLimit } from '../limits.ts';
import { newImageOf } from '../new-image.ts';
import { httpStore } from '../stores.ts';
import { beginTask, endTask, findTask } from '../tasks.ts';
import type { Image, Location, Task } from '../../model.ts';
import { deleteData, readData, writeData } from '../../store/data.ts';
import { findImage, updateImage } from '../../store/images.ts';
import { mayDownload, requestDownload } from './download.ts';
import type { ExpectedHash } from './locations.ts';
import { begun, ended, isLockedBy, unlocked } from './progress.ts';

/** The job that ends an import from the staging area, or from another store. */
export const endKind = 'image.import_ended';

const internalError = 'Task failed due to Internal Error';

/** The input of an import task. */
interface ImportInput {
  readonly image_id: string;
  readonly import_req: {
    readonly method: { readonly name: string; readonly uri?: string };
    readonly all_stores_must_succeed?: boolean;
  };
  readonly backend: readonly string[];
}

interface LocationInput {
  readonly image_id: string;
  readonly loc_url: string;
  readonly validation_data: ExpectedHash;
}

interface LegacyInput {
  readonly import_from: string;
  readonly import_from_format: string;
  readonly image_properties: Readonly<Record<string, unknown>>;
}

/**
 * Begins the work of a pending task.
 * @param isValid whether the input describes an image that can be created
 */
export async function startTask(context: Context, id: string, isValid: boolean): Promise<void> {
  const task = await findTask(context, id);
  if (task?.status !== 'pending') return;
  await beginTask(context, task);
  const missing = missingInput(task) ?? (isValid ? undefined : internalError);
  if (missing) return endTask(context, task, { failure: missing });
  switch (task.type) {
    case 'import': {
      const { import_from: url } = task.input as unknown as LegacyInput;
      return requestDownload(context, { taskId: id, url });
    }
    case 'location_import':
      return startLocating(context, task);
    case 'api_image_import':
      return startImporting(context, task);
  }
}

/** The message for a task without the input that it needs. */
function missingInput({ type, input }: Task): string | undefined {
  if (type === 'api_image_import') {
    if (!Object.keys(input ?? {}).length) return 'Input to api_image_import task is empty.';
    if (!Object.hasOwn(input!, 'image_id')) return "Missing required 'image_id' field";
    return Object.hasOwn(input!, 'import_req') ? undefined : internalError;
  }
  if (type === 'location_import') return undefined;
  const names = ['import_from', 'import_from_format', 'image_properties'];
  const missing = names.find((name) => !Object.hasOwn(input ?? {}, name));
  return missing && `Input does not contain '${missing}' field`;
}

async function startImporting(context: Context, task: Task): Promise<void> {
  const { db, now } = context;
  const { image_id: imageId, import_req: request, backend } = task.input as unknown as ImportInput;
  const image = await lockedImage(context, task, imageId);
  if (!image) return endTask(context, task, { failure: internalError });
  const { name: method, uri } = request.method;
  const excess = await limitExceededBy(context, image, method);
  if (excess !== undefined) return failImport(context, task, image, excess);
  const properties = begun(image.properties, backend);
  const status = isCopy(task) ? image.status : 'importing';
  await updateImage(db, image, { ...image, status, properties }, now);
  if (method === 'web-download') return requestDownload(context, { taskId: task.id, url: uri! });
  const dueAt = now + latencyOf(context, 'image.import');
  return schedule(db, { dueAt, kind: endKind, subject: task.id });
}

/**
 * Gives an image the location that its data is downloaded from. It is active at once if the client
 * expects no digest.
 */
async function startLocating(context: Context, task: Task): Promise<void> {
  const { db, now } = context;
  const { loc_url: url, validation_data: expected } = task.input as unknown as LocationInput;
  const image = await lockedImage(context, task, task.imageId ?? '');
  if (!image) return endTask(context, task, { failure: internalError });
  if (!(await mayDownload(context, url))) return failLocation(context, task, image);
  const { os_hash_algo: hashAlgo = 'sha512', os_hash_value: hashValue } = expected;
  const status = hashValue === undefined ? 'active' : 'importing';
  const locations = [{ store: httpStore, url }];
  await updateImage(db, image, { ...image, status, hashAlgo, locations }, now);
  return requestDownload(context, { taskId: task.id, url });
}

/** The context with a project's limits. */
const actingFor = (context: Context, projectId: string | null): Context => ({
  ...context,
  actor: { ...context.actor, projectId: projectId ?? '' },
});

/** The message for a limit of its project that an import would exceed. */
async function limitExceededBy(
  context: Context,
  { owner, size }: Image,
  method: string,
): Promise<string | undefined> {
  const acting = actingFor(context, owner);
  if (method === 'glance-direct') return overLimit(acting, 'image_size_total', mebibytes(size));
  return (
    (await overLimit(acting, 'image_stage_total', mebibytes(size))) ??
    (await overLimit(acting, 'image_count_uploading', 1))
  );
}

/** The image of a task, unless it was deleted, or another task has taken it over. */
async function lockedImage(
  { db }: Context,
  { id }: Task,
  imageId: string,
): Promise<Image | undefined> {
  const image = await findImage(db, imageId);
  return image && isLockedBy(image, id) ? image : undefined;
}

/** Whether an import copies data that the image has. */
const isCopy = ({ input }: Task): boolean =>
  (input as unknown as ImportInput).import_req.method.name === 'copy-image';

/** Ends an import from the staging area, or a copy to other stores. */
export async function endImport(context: Context, id: string): Promise<void> {
  const task = await findTask(context, id);
  if (task?.status !== 'processing') return;
  const image = await lockedImage(context, task, task.imageId ?? '');
  if (!image) return endTask(context, task, { failure: internalError });
  const data = isCopy(task) ? undefined : await readData(context.db, image.id);
  return finishImport(context, task, image, data);
}

/**
 * Ends the task that a download was for.
 * @param data undefined if the download has failed
 */
export async function endDownload(
  context: Context,
  id: string,
  data: Buffer | undefined,
): Promise<void> {
  const task = await findTask(context, id);
  if (task?.status !== 'processing') return;
  if (task.type === 'import') return finishLegacyImport(context, task, data);
  const image = await lockedImage(context, task, task.imageId ?? '');
  if (!image) return endTask(context, task, { failure: internalError });
  if (task.type === 'location_import') return finishLocation(context, task, image, data);
  if (!data) return failImport(context, task, image);
  await writeData(context.db, image.id, data);
  return finishImport(context, task, image, data);
}

/**
 * Stores the data of an import in its stores.
 * @param data undefined for a copy of data that the image has
 */
async function finishImport(
  context: Context,
  task: Task,
  image: Image,
  data: Buffer | undefined,
): Promise<void> {
  const { db, now } = context;
  const { backend, import_req: request } = task.input as unknown as ImportInput;
  const failed = backend.filter((store) => store === httpStore); // it is read-only
  const stored = backend.filter((store) => store !== httpStore);
  const mustAllSucceed = request.all_stores_must_succeed ?? true;
  const content = data && (await contentOf(context, image, data));
  if ((failed.length && mustAllSucceed) || !stored.length || (data && !content))
    return failImport(context, task, image);
  const present = isCopy(task) ? image.locations : [];
  const added = stored.filter((name) => !present.some(({ store }) => store === name));
  const locations = [...present, ...added.map((store): Location => ({ store }))];
  const properties = ended(image.properties, backend, failed);
  await updateImage(
    db,
    image,
    { ...image, ...content, status: data ? 'active' : image.status, locations, properties },
    now,
  );
  const size = data?.length ?? image.size ?? 0;
  const message = `Copied ${Math.floor(size / 1024 ** 2)} MiB`;
  await endTask(context, task, { imageId: image.id, message });
}

type Content = Pick<Image, 'size' | 'virtualSize' | 'checksum' | 'hashAlgo' | 'hashValue'>;

/** What an image says of its data; undefined for data that it cannot have. */
async function contentOf(
  { db }: Context,
  image: Pick<Image, 'diskFormat' | 'containerFormat'>,
  data: Buffer,
): Promise<Content | undefined> {
  try {
    await checkSize(db, data.length);
    return { size: data.length, virtualSize: inspect(image, data), ...digestsOf(data) };
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Ends an import that has failed. The image waits for data again, unless it has some. */
async function failImport(
  context: Context,
  task: Task,
  image: Image,
  failure = internalError,
): Promise<void> {
  const { db, now } = context;
  const { backend } = task.input as unknown as ImportInput;
  const properties = ended(image.properties, backend, backend);
  const fields = isCopy(task) ? {} : ({ status: 'queued', size: null } as const);
  if (!isCopy(task)) await deleteData(db, image.id);
  await updateImage(db, image, { ...image, ...fields, properties }, now);
  await endTask(context, task, { failure });
}

/**
 * Creates the image of a legacy task, with the data that was downloaded.
 * @throws ApiError if the project may not have it, or another image has its id
 */
async function finishLegacyImport(
  context: Context,
  task: Task,
  data: Buffer | undefined,
): Promise<void> {
  const { image_properties: given } = task.input as unknown as LegacyInput;
  const fields = newImageOf(task.owner, given);
  const { diskFormat, containerFormat } = fields;
  const isStorable = data && diskFormat && containerFormat;
  if (!isStorable || !(await contentOf(context, { diskFormat, containerFormat }, data)))
    return endTask(context, task, { failure: internalError });
  const acting = actingFor(context, task.owner);
  const image = await storeData(acting, await createImage(acting, fields), data);
  return endTask(context, task, { imageId: image.id, message: '' });
}

/** Stores what was downloaded from the location of an image. */
async function finishLocation(
  context: Context,
  task: Task,
  image: Image,
  data: Buffer | undefined,
): Promise<void> {
  const { validation_data: expected } = task.input as unknown as LocationInput;
  const content = data && (await contentOf(context, image, data));
  const { os_hash_algo: hashAlgo = 'sha512', os_hash_value: hashValue } = expected;
  const digest = data && createHash(hashAlgo).update(data).digest('hex');
  if (!content || (hashValue !== undefined && hashValue.toLowerCase() !== digest))
    return failLocation(context, task, image);
  await writeData(context.db, image.id, data!);
  const hash = { hashAlgo, hashValue: digest! };
  const status = image.status === 'importing' ? 'active' : image.status;
  const properties = unlocked(image.properties);
  await updateImage(
    context.db,
    image,
    { ...image, ...content, ...hash, status, properties },
    context.now,
  );
  return endTask(context, task, { imageId: image.id, message: '' });
}

/** Ends an import from a location that has failed. The image keeps it, as upstream's does. */
async function failLocation(context: Context, task: Task, image: Image): Promise<void> {
  const properties = unlocked(image.properties);
  const fields = { status: 'queued', hashAlgo: null } as const;
  await updateImage(context.db, image, { ...image, ...fields, properties }, context.now);
  return endTask(context, task, { failure: internalError });
}
