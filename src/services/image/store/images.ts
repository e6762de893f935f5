// The tables of images, with their tags and properties.
import type { Knex } from 'knex';
import type { Micros } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { pipelined } from '../../../kernel/db/pipelined.ts';
import { whereHasAll, type ChildTable } from '../../../kernel/db/has-all.ts';
import { orderBy, type SortColumn } from '../../../kernel/db/keyset.ts';
import {
  bumpRevision,
  deleteAtRevision,
  updateAtRevision,
} from '../../../kernel/db/optimistic-lock.ts';
import { conflict, type ApiError } from '../../../kernel/errors.ts';
import type { Actor } from '../../../kernel/model.ts';
import type { Image, Visibility } from '../model.ts';

interface Row {
  id: string;
  name: string | null;
  status: string;
  visibility: string;
  owner: string | null;
  size: number | null;
  virtual_size: number | null;
  checksum: string | null;
  os_hash_algo: string | null;
  os_hash_value: string | null;
  container_format: string | null;
  disk_format: string | null;
  min_disk: number;
  min_ram: number;
  protected: number | boolean;
  os_hidden: number | boolean;
  revision: number;
  created_at: number;
  updated_at: number;
}

const rowOf = (image: Image): Row => ({
  id: image.id,
  name: image.name,
  status: image.status,
  visibility: image.visibility,
  owner: image.owner,
  size: image.size,
  virtual_size: image.virtualSize,
  checksum: image.checksum,
  os_hash_algo: image.hashAlgo,
  os_hash_value: image.hashValue,
  container_format: image.containerFormat,
  disk_format: image.diskFormat,
  min_disk: image.minDisk,
  min_ram: image.minRam,
  protected: Number(image.isProtected),
  os_hidden: Number(image.isHidden),
  revision: image.revision,
  created_at: image.createdAt,
  updated_at: image.updatedAt,
});

const orNull = (value: number | null): number | null => (value === null ? null : Number(value));

const record = (
  row: Row,
  tags: readonly string[],
  properties: Readonly<Record<string, string>>,
): Image => ({
  id: row.id,
  name: row.name,
  status: row.status,
  visibility: row.visibility as Visibility,
  owner: row.owner,
  size: orNull(row.size),
  virtualSize: orNull(row.virtual_size),
  checksum: row.checksum,
  hashAlgo: row.os_hash_algo,
  hashValue: row.os_hash_value,
  containerFormat: row.container_format,
  diskFormat: row.disk_format,
  minDisk: row.min_disk,
  minRam: row.min_ram,
  isProtected: Boolean(row.protected),
  isHidden: Boolean(row.os_hidden),
  revision: row.revision,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
  tags,
  properties,
});

/** A property of an image, or a tag, which has no name. */
interface PartRow {
  image_id: string;
  name: string | null;
  value: string;
}

/**
 * The rows as images, in the same order. Tags and properties are sorted here: a union that sorts is
 * written to a table on disk first.
 */
async function withParts(db: Db, rows: readonly Row[]): Promise<Image[]> {
  const parts = await partsOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => withOwnParts(row, parts.get(row.id)));
}

/** The properties and tags of images, by the image's id. */
async function partsOf(db: Db, ids: readonly string[]): Promise<Map<string, PartRow[]>> {
  const parts = new Map<string, PartRow[]>();
  if (!ids.length) return parts;
  const tags = db('image_tags')
    .whereIn('image_id', ids)
    .select('image_id', db.raw('null'), 'value');
  const properties = db('image_properties')
    .whereIn('image_id', ids)
    .select('image_id', 'name', 'value');
  for (const part of (await properties.unionAll(tags)) as PartRow[])
    parts.set(part.image_id, [...(parts.get(part.image_id) ?? []), part]);
  return parts;
}

function withOwnParts(row: Row, own: readonly PartRow[] = []): Image {
  const named = own.flatMap(({ name, value }) => (name === null ? [] : [[name, value] as const]));
  return record(
    row,
    own.flatMap(({ name, value }) => (name === null ? [value] : [])).sort(),
    Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1))),
  );
}

/** The image with that id. */
export async function findImage(db: Db, id: string): Promise<Image | undefined> {
  const images = db('image_images').where({ id });
  const [row, parts] = await pipelined([
    images.first() as PromiseLike<Row | undefined>,
    partsOf(db, [id]),
  ]);
  return row && withOwnParts(row, parts.get(id));
}

/** Whether there is any image. */
export async function hasImages(db: Db): Promise<boolean> {
  return (await db('image_images').first('id')) !== undefined;
}

/** @throws the driver's duplicate error for the id */
export async function insertImage(db: Db, image: Image): Promise<void> {
  await db('image_images').insert(rowOf(image));
  await writeTags(db, image.id, image.tags);
  await writeProperties(db, image.id, image.properties);
}

const stale = (): ApiError => conflict('The image was changed by somebody else.');

/**
 * Claims an image for a write that rests on it, such as of a member.
 * @throws Contention where another writer was faster
 */
export const bumpImageRevision = (db: Db, { id, revision }: Image): Promise<number> =>
  bumpRevision(db, { name: 'image_images' }, [id, revision], stale);

/**
 * Writes an image over the one that was read.
 * @throws Contention where another writer was faster
 */
export async function updateImage(
  db: Db,
  before: Image,
  after: Image,
  now: Micros,
): Promise<Image> {
  const { id } = before;
  const row = rowOf({ ...after, updatedAt: now });
  const revision = await updateAtRevision(
    db,
    { name: 'image_images' },
    [id, before.revision],
    { ...row },
    stale,
  );
  if (before.tags !== after.tags) {
    await db('image_tags').where({ image_id: id }).delete();
    await writeTags(db, id, after.tags);
  }
  if (before.properties !== after.properties) {
    await db('image_properties').where({ image_id: id }).delete();
    await writeProperties(db, id, after.properties);
  }
  return { ...after, revision, updatedAt: now };
}

async function writeTags(db: Db, imageId: string, tags: readonly string[]): Promise<void> {
  if (tags.length)
    await db('image_tags').insert(tags.map((value) => ({ image_id: imageId, value })));
}

async function writeProperties(
  db: Db,
  imageId: string,
  properties: Image['properties'],
): Promise<void> {
  const rows = Object.entries(properties).map(([name, value]) => ({
    image_id: imageId,
    name,
    value,
  }));
  if (rows.length) await db('image_properties').insert(rows);
}

/**
 * Deletes an image with its data, members, tags and properties.
 * @throws Contention where another writer was faster
 */
export async function deleteImage(db: Db, { id, revision }: Image): Promise<void> {
  for (const table of ['image_data', 'image_members', 'image_tags', 'image_properties'])
    await db(table).where({ image_id: id }).delete();
  await deleteAtRevision(db, { name: 'image_images' }, [id, revision], stale);
}

/** The columns that a list can be ordered by. */
export type SortKey =
  | 'name'
  | 'status'
  | 'container_format'
  | 'disk_format'
  | 'size'
  | 'id'
  | 'created_at'
  | 'updated_at';

/** A comparison of one column; `in` has a list of values. */
export interface Condition {
  readonly column: string;
  readonly operator: '=' | '<>' | '<' | '<=' | '>' | '>=' | 'in';
  readonly value: string | number | boolean | readonly string[];
}

/** The filters of a list of images, its order, and where it begins. */
export interface ImageQuery {
  /** Who lists: an administrator sees every project's images. */
  readonly actor: Pick<Actor, 'projectId' | 'isAdmin'>;
  /**
   * Shared images of other projects are listed where the actor's membership has this status; or
   * `all`.
   */
  readonly memberStatus: string;
  /** `all` includes the community images of other projects. */
  readonly visibility: string | undefined;
  readonly conditions: readonly Condition[];
  readonly properties: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly sort: readonly { readonly column: SortKey; readonly direction: 'asc' | 'desc' }[];
  /** The last image of the page before. */
  readonly after: Image | undefined;
  readonly limit: number;
}

const tags: ChildTable = { name: 'image_tags', id: 'image_id', columns: ['value'] };
const properties: ChildTable = {
  name: 'image_properties',
  id: 'image_id',
  columns: ['name', 'value'],
};

/** The images that the actor sees and that match every filter. */
export async function selectImages(db: Db, query: ImageQuery): Promise<Image[]> {
  const select = db('image_images as i').select('i.*').limit(query.limit);
  whereVisible(db, select, query);
  for (const { column, operator, value } of query.conditions) {
    if (operator === 'in') void select.whereIn(`i.${column}`, value as string[]);
    else void select.where(`i.${column}`, operator, value as string);
  }
  whereHasAll(db, select, 'i.id', properties, Object.entries(query.properties));
  whereHasAll(
    db,
    select,
    'i.id',
    tags,
    query.tags.map((tag) => [tag]),
  );
  const after = query.after && rowOf(query.after);
  orderBy(
    select,
    query.sort.map(sortColumn),
    after && query.sort.map(({ column }) => after[column]),
  );
  return withParts(db, (await select) as Row[]);
}

function whereVisible(
  db: Db,
  select: Knex.QueryBuilder,
  { actor, memberStatus, visibility }: ImageQuery,
): void {
  const { projectId, isAdmin } = actor;
  if (!isAdmin) {
    void select.where((either) => {
      void either.whereIn('i.visibility', ['public', 'community']);
      if (projectId === undefined) return;
      const shared = db('image_members').where({ member: projectId }).select('image_id');
      if (memberStatus !== 'all') void shared.where({ status: memberStatus });
      void either
        .orWhere('i.owner', projectId)
        .orWhere((both) => void both.where('i.visibility', 'shared').whereIn('i.id', shared));
    });
  }
  if (visibility !== undefined) {
    if (visibility !== 'all') void select.where('i.visibility', visibility);
    return;
  }
  void select.where((either) => {
    void either.whereNot('i.visibility', 'community');
    if (projectId !== undefined) void either.orWhere('i.owner', projectId);
  });
}

/** The value that stands for null in the columns that have it. */
const fills: Readonly<Partial<Record<SortKey, string | number>>> = {
  size: -1,
  name: '',
  container_format: '',
  disk_format: '',
};

const sortColumn = ({ column, direction }: ImageQuery['sort'][number]): SortColumn => ({
  column: `i.${column}`,
  descending: direction === 'desc',
  fill: fills[column],
});
