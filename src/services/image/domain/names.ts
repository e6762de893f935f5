// The names that an image has of its own, and which of them a client may not write. Upstream: glance/api/v2/images.py.

/** Refused whatever else a body has. */
export const disallowed: readonly string[] = ['direct_url', 'self', 'file', 'schema', 'stores'];

export const readOnly: readonly string[] = [
  'created_at', 'updated_at', 'status', 'checksum', 'size', 'virtual_size', 'direct_url', 'self', 'file', 'schema', 'id', 'os_hash_algo',
  'os_hash_value',
]; // prettier-ignore

/** What only the image's own rules may fill; a new image may have an id. */
export const readOnlyAtCreation: readonly string[] = [
  'created_at', 'updated_at', 'status', 'checksum', 'os_hash_algo', 'os_hash_value', 'size', 'virtual_size',
]; // prettier-ignore

const reservedWords: readonly string[] = ['location', 'deleted', 'deleted_at'];

/** Whether a property may not be called so. */
export const isReserved = (name: string): boolean => reservedWords.includes(name) || name.startsWith('os_glance');

/** The writable names of an image, and its fields that they stand for. */
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
