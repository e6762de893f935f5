// The tables of images, with their tags and properties.
import type { Knex } from 'knex';
import type { Micros } from '../../../kernel/clock.ts';
import {
  boolean,
  integer,
  jsonListOf,
  micros,
  named,
  nullable,
  text,
  textOf,
  type Column,
} from '../../../kernel/db/columns.ts';
import { Recurring } from '../../../kernel/db/drivers/recurring.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { whereHasAll, type ChildTable } from '../../../kernel/db/has-all.ts';
import type { Sort } from '../../../kernel/db/listing.ts';
import { pipelined } from '../../../kernel/db/pipelined.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { conflict, type ApiError } from '../../../kernel/errors.ts';
import type { Actor } from '../../../kernel/model.ts';
import { imageStatuses, visibilities, type Image, type Location } from '../model.ts';

const recurring = new Recurring();

const optionalLocations = nullable(
  jsonListOf<readonly Location[]>(
    (item) => typeof (item as Location | null)?.store === 'string',
    'locations with a store',
  ),
);

/** A list that is NULL while it is empty. */
const locations: Column<readonly Location[]> = {
  mismatch: optionalLocations.mismatch!,
  read: (stored) => optionalLocations.read!(stored) ?? [],
  write: (value) => optionalLocations.write(value.length ? value : null),
};

/** The columns of an image; its tags and properties are rows of their own. */
type ImageRow = Omit<Image, 'tags' | 'properties'>;

export const images = new RevisionTable<ImageRow>(
  'image_images',
  {
    id: text,
    name: nullable(text),
    status: textOf(imageStatuses),
    visibility: textOf(visibilities),
    owner: nullable(text),
    size: nullable(integer),
    virtualSize: nullable(integer),
    checksum: nullable(text),
    hashAlgo: named('os_hash_algo', nullable(text)),
    hashValue: named('os_hash_value', nullable(text)),
    containerFormat: nullable(text),
    diskFormat: nullable(text),
    minDisk: integer,
    minRam: integer,
    isProtected: named('protected', boolean),
    isHidden: named('os_hidden', boolean),
    revision: integer,
    locations,
    createdAt: micros,
    updatedAt: micros,
  },
  { revision: 'revision' },
);

/** A property of an image, or a tag. A tag has no name. */
interface Detail {
  readonly image_id: string;
  readonly name: string | null;
  readonly value: string;
}

/** Reads the properties and tags of images, by the image's id. */
async function detailsOf(db: Db, ids: readonly string[]): Promise<Map<string, Detail[]>> {
  const details = new Map<string, Detail[]>();
  if (!ids.length) return details;
  const name = `details of ${ids.length} images`;
  const found = await recurring.statement<Detail[]>(db, name, ids, (wanted) =>
    db('image_properties')
      .whereIn('image_id', wanted)
      .select('image_id', 'name', 'value')
      .unionAll(
        db('image_tags').whereIn('image_id', wanted).select('image_id', db.raw('null'), 'value'),
      ),
  );
  for (const detail of found) {
    const known = details.get(detail.image_id);
    if (known) known.push(detail);
    else details.set(detail.image_id, [detail]);
  }
  return details;
}

/**
 * Adds tags and properties to an image. They are sorted here, because the database would write a
 * sorted union to a temporary table on disk.
 */
function withDetails(image: ImageRow, details: readonly Detail[] = []): Image {
  const named = details.flatMap(({ name, value }) =>
    name === null ? [] : [[name, value] as const],
  );
  return {
    ...image,
    tags: details.flatMap(({ name, value }) => (name === null ? [value] : [])).sort(),
    properties: Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

export async function findImage(db: Db, id: string): Promise<Image | undefined> {
  const [image, details] = await pipelined([images.find(db, { id }), detailsOf(db, [id])]);
  return image && withDetails(image, details.get(id));
}

/** @throws the driver's duplicate error for the id */
export async function insertImage(db: Db, image: Image): Promise<void> {
  await images.insert(db, image);
  await writeTags(db, image.id, image.tags);
  await writeProperties(db, image.id, image.properties);
}

const stale = (): ApiError => conflict('The image was changed by somebody else.');

/**
 * Bumps the revision of an image that a write depends on, such as a write to its members.
 * @throws SerializationFailure if another transaction has changed the image
 */
export const bumpImageRevision = (db: Db, image: Image): Promise<ImageRow> =>
  images.bumpRevision(db, image, stale);

/**
 * Replaces the image that was read by another one.
 * @throws SerializationFailure if another transaction has changed the image
 */
export async function updateImage(
  db: Db,
  before: Image,
  after: Image,
  now: Micros,
): Promise<Image> {
  const { id } = before;
  const changed = { ...after, revision: before.revision, updatedAt: now };
  const updated = await images.updateAtRevision(db, before, changed, stale);
  if (before.tags !== after.tags) {
    await db('image_tags').where({ image_id: id }).delete();
    await writeTags(db, id, after.tags);
  }
  if (before.properties !== after.properties) {
    await db('image_properties').where({ image_id: id }).delete();
    await writeProperties(db, id, after.properties);
  }
  return updated;
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
 * @throws SerializationFailure if another transaction has changed the image
 */
export async function deleteImage(db: Db, image: Image): Promise<void> {
  for (const table of ['image_data', 'image_members', 'image_tags', 'image_properties'])
    await db(table).where({ image_id: image.id }).delete();
  await images.removeAtRevision(db, image, stale);
}

/** The columns by which a list can be sorted. */
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

/** The filters of a list of images, its order, and its position. */
export interface ImageQuery {
  /** The actor who lists. An administrator sees the images of all projects. */
  readonly actor: Pick<Actor, 'projectId' | 'isAdmin'>;
  /**
   * Lists shared images of other projects if the actor's membership has this status. `all` lists
   * them regardless.
   */
  readonly memberStatus: string;
  /** Also `all`, which includes the community images of other projects. */
  readonly visibility: string | undefined;
  readonly conditions: readonly Condition[];
  readonly properties: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly sort: readonly { readonly column: SortKey; readonly direction: 'asc' | 'desc' }[];
  /** The last image of the previous page. */
  readonly after: Image | undefined;
  readonly limit: number;
}

const tags: ChildTable = { name: 'image_tags', id: 'image_id', columns: ['value'] };
const properties: ChildTable = {
  name: 'image_properties',
  id: 'image_id',
  columns: ['name', 'value'],
};

/** Selects the images that the actor sees and that match every filter. */
export async function selectImages(db: Db, query: ImageQuery): Promise<Image[]> {
  const { conditions, sort, after, limit } = query;
  const found = await images.list(db, {
    conditions: [
      (select) => whereVisible(db, select, query),
      ...conditions.map(({ column, operator, value }) => (select: Knex.QueryBuilder) => {
        if (operator === 'in') void select.whereIn(inImages(column), value as string[]);
        else void select.where(inImages(column), operator, value as string);
      }),
      (select) => {
        whereHasAll(db, select, inImages('id'), properties, Object.entries(query.properties));
        whereHasAll(
          db,
          select,
          inImages('id'),
          tags,
          query.tags.map((tag) => [tag]),
        );
      },
    ],
    sort: sort.map(sortOf),
    after,
    limit,
  });
  const details = await detailsOf(
    db,
    found.map(({ id }) => id),
  );
  return found.map((image) => withDetails(image, details.get(image.id)));
}

const inImages = (column: string): string => `image_images.${column}`;

function whereVisible(
  db: Db,
  select: Knex.QueryBuilder,
  { actor, memberStatus, visibility }: ImageQuery,
): void {
  const { projectId, isAdmin } = actor;
  if (!isAdmin) {
    void select.where((either) => {
      void either.whereIn('image_images.visibility', ['public', 'community']);
      if (projectId === undefined) return;
      const shared = db('image_members').where({ member: projectId }).select('image_id');
      if (memberStatus !== 'all') void shared.where({ status: memberStatus });
      void either
        .orWhere('image_images.owner', projectId)
        .orWhere(
          (both) =>
            void both.where('image_images.visibility', 'shared').whereIn('image_images.id', shared),
        );
    });
  }
  if (visibility !== undefined) {
    if (visibility !== 'all') void select.where('image_images.visibility', visibility);
    return;
  }
  void select.where((either) => {
    void either.whereNot('image_images.visibility', 'community');
    if (projectId !== undefined) void either.orWhere('image_images.owner', projectId);
  });
}

/** The value that NULL sorts as, in nullable columns. */
const nullSortsAs: Readonly<Partial<Record<SortKey, string | number>>> = {
  size: -1,
  name: '',
  container_format: '',
  disk_format: '',
};

const sortOf = ({ column, direction }: ImageQuery['sort'][number]): Sort<ImageRow> => ({
  field: images.fieldOf(column)!,
  descending: direction === 'desc',
  fill: nullSortsAs[column],
});
