// The names of an image's fields, and which ones a client may not write. Upstream:
// glance/api/v2/images.py.

/** Names that no body may have. */
export const disallowed: readonly string[] = ['direct_url', 'self', 'file', 'schema', 'stores'];

/** Fields that a patch may not change. */
export const readOnly: readonly string[] = [
  'created_at',
  'updated_at',
  'status',
  'checksum',
  'size',
  'virtual_size',
  'direct_url',
  'self',
  'file',
  'schema',
  'id',
  'os_hash_algo',
  'os_hash_value',
];

/** Fields that the body of a new image may not have. Unlike a patch, it may have an id. */
export const readOnlyAtCreation: readonly string[] = [
  'created_at',
  'updated_at',
  'status',
  'checksum',
  'os_hash_algo',
  'os_hash_value',
  'size',
  'virtual_size',
];

const reservedWords: readonly string[] = ['location', 'deleted', 'deleted_at'];

/** Whether no property may have this name. */
export const isReserved = (name: string): boolean =>
  reservedWords.includes(name) || name.startsWith('os_glance');

/** The names that clients may write, and their fields of `Image`. */
export const fieldOf = {
  name: 'name',
  visibility: 'visibility',
  owner: 'owner',
  container_format: 'containerFormat',
  disk_format: 'diskFormat',
  min_disk: 'minDisk',
  min_ram: 'minRam',
  protected: 'isProtected',
  os_hidden: 'isHidden',
  tags: 'tags',
} as const;

export const isField = (name: string): name is keyof typeof fieldOf => Object.hasOwn(fieldOf, name);
