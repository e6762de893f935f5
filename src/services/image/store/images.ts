// Images: their rows, with their tags and properties.
import type { Knex } from 'knex';
import type { Micros } from '../../../kernel/clock.ts';
import { Contention } from '../../../kernel/db/errors.ts';
import { conflict } from '../../../kernel/fault.ts';
import type { Image, Viewer, Visibility } from '../domain/records.ts';
import type { Db } from '../../../kernel/db/database.ts';

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

const record = (row: Row, tags: readonly string[], properties: Readonly<Record<string, string>>): Image => ({
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

/** The rows as images, in the order in which they came. */
async function withParts(db: Db, rows: readonly Row[]): Promise<Image[]> {
  if (!rows.length) return [];
  const ids = rows.map((row) => row.id);
  const tags = (await db('image_tags').whereIn('image_id', ids).orderBy(['image_id', 'value'])) as {
    image_id: string;
    value: string;
  }[];
  const properties = (await db('image_properties').whereIn('image_id', ids).orderBy(['image_id', 'name'])) as {
    image_id: string;
    name: string;
    value: string;
  }[];
  const tagsOf = byImage(tags);
  const propertiesOf = byImage(properties);
  return rows.map((row) =>
    record(
      row,
      (tagsOf.get(row.id) ?? []).map((tag) => tag.value),
      Object.fromEntries((propertiesOf.get(row.id) ?? []).map(({ name, value }) => [name, value])),
    ),
  );
}

function byImage<T extends { image_id: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(row.image_id, [...(groups.get(row.image_id) ?? []), row]);
  return groups;
}

export async function findImage(db: Db, id: string): Promise<Image | undefined> {
  const row = (await db('image_images').where({ id }).first()) as Row | undefined;
  return row && (await withParts(db, [row]))[0];
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

/** Writes an image over what was read. @throws Contention where another writer was faster */
export async function updateImage(db: Db, before: Image, after: Image, now: Micros): Promise<Image> {
  const { id, revision } = before;
  const saved = { ...after, revision: revision + 1, updatedAt: now };
  const changed = await db('image_images').where({ id, revision }).update(rowOf(saved));
  if (!changed) throw new Contention(conflict('The image was changed by somebody else.'));
  if (before.tags !== after.tags) {
    await db('image_tags').where({ image_id: id }).delete();
    await writeTags(db, id, after.tags);
  }
  if (before.properties !== after.properties) {
    await db('image_properties').where({ image_id: id }).delete();
    await writeProperties(db, id, after.properties);
  }
  return saved;
}

async function writeTags(db: Db, imageId: string, tags: readonly string[]): Promise<void> {
  if (tags.length) await db('image_tags').insert(tags.map((value) => ({ image_id: imageId, value })));
}

async function writeProperties(db: Db, imageId: string, properties: Image['properties']): Promise<void> {
  const rows = Object.entries(properties).map(([name, value]) => ({ image_id: imageId, name, value }));
  if (rows.length) await db('image_properties').insert(rows);
}

/** Deletes an image with all that belongs to it. */
export async function deleteImage(db: Db, id: string): Promise<void> {
  for (const table of ['image_data', 'image_members', 'image_tags', 'image_properties'])
    await db(table).where({ image_id: id }).delete();
  await db('image_images').where({ id }).delete();
}

export type Column = 'name' | 'status' | 'container_format' | 'disk_format' | 'size' | 'id' | 'created_at' | 'updated_at';

export interface Condition {
  readonly column: string;
  readonly operator: '=' | '<>' | '<' | '<=' | '>' | '>=' | 'in';
  readonly value: string | number | boolean | readonly string[];
}

/** What narrows a list of images, how it is ordered, and where it begins. */
export interface ImageQuery {
  readonly viewer: Viewer;
  readonly memberStatus: string;
  /** `all` takes in the community images of others. */
  readonly visibility: string | undefined;
  readonly conditions: readonly Condition[];
  readonly properties: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly sort: readonly { readonly column: Column; readonly direction: 'asc' | 'desc' }[];
  readonly after: Image | undefined;
  readonly limit: number;
}

/** The images that the viewer sees and that pass every filter. */
export async function listImages(db: Db, query: ImageQuery): Promise<Image[]> {
  const select = db('image_images as i').select('i.*').limit(query.limit);
  whereSeen(db, select, query);
  for (const { column, operator, value } of query.conditions) {
    if (operator === 'in') void select.whereIn(`i.${column}`, value as string[]);
    else void select.where(`i.${column}`, operator, value as string);
  }
  for (const [name, value] of Object.entries(query.properties))
    void select.whereIn('i.id', db('image_properties').where({ name, value }).select('image_id'));
  for (const value of query.tags) void select.whereIn('i.id', db('image_tags').where({ value }).select('image_id'));
  for (const { column, direction } of query.sort) void select.orderByRaw(`${filled(column)} ${direction}`);
  if (query.after) whereAfter(select, query.sort, rowOf(query.after));
  return withParts(db, (await select) as Row[]);
}

function whereSeen(db: Db, select: Knex.QueryBuilder, { viewer, memberStatus, visibility }: ImageQuery): void {
  const { projectId, isAdmin } = viewer;
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

/** A column as it is sorted by: without nulls, which databases put here or there, and which nothing is greater than. */
const filled = (column: Column): string => {
  if (column === 'size') return 'coalesce(i.size, -1)';
  return ['name', 'container_format', 'disk_format'].includes(column) ? `coalesce(i.${column}, '')` : `i.${column}`;
};

/** What comes after a row, in an order of several columns. */
function whereAfter(select: Knex.QueryBuilder, sort: ImageQuery['sort'], row: Row): void {
  const valueOf = (column: Column): string | number => row[column] ?? (column === 'size' ? -1 : '');
  void select.where((either) => {
    sort.forEach(({ column, direction }, index) => {
      void either.orWhere((all) => {
        for (const same of sort.slice(0, index)) void all.whereRaw(`${filled(same.column)} = ?`, [valueOf(same.column)]);
        void all.whereRaw(`${filled(column)} ${direction === 'asc' ? '>' : '<'} ?`, [valueOf(column)]);
      });
    });
  });
}
