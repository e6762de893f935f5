// The records of Image: images, their members, import tasks, the cache, and metadata definitions.
import type { Micros } from '../../kernel/clock.ts';

export const visibilities = ['public', 'community', 'shared', 'private'] as const;
export type Visibility = (typeof visibilities)[number];

export const imageStatuses = [
  'queued',
  'saving',
  'active',
  'killed',
  'deleted',
  'uploading',
  'importing',
  'pending_delete',
  'deactivated',
] as const;
export type ImageStatus = (typeof imageStatuses)[number];

export interface Image {
  readonly id: string;
  readonly name: string | null;
  readonly status: ImageStatus;
  readonly visibility: Visibility;
  readonly owner: string | null;
  /** Bytes; null until data is uploaded. */
  readonly size: number | null;
  /** Bytes of the disk that the data contains; null if the format does not say. */
  readonly virtualSize: number | null;
  readonly checksum: string | null;
  readonly hashAlgo: string | null;
  readonly hashValue: string | null;
  readonly containerFormat: string | null;
  readonly diskFormat: string | null;
  /** GiB. */
  readonly minDisk: number;
  /** MiB. */
  readonly minRam: number;
  readonly isProtected: boolean;
  readonly isHidden: boolean;
  /** For optimistic locking. */
  readonly revision: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
  /** Where the data is; empty until there is data that can be downloaded. */
  readonly locations: readonly Location[];
  readonly tags: readonly string[];
  readonly properties: Readonly<Record<string, string>>;
}

/** A store that has the data of an image. */
export interface Location {
  readonly store: string;
  /** The URL of the data in the HTTP store; absent for the stores of the region. */
  readonly url?: string;
}

export const taskTypes = ['import', 'api_image_import', 'location_import'] as const;
export type TaskType = (typeof taskTypes)[number];

export const taskStatuses = ['pending', 'processing', 'success', 'failure'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** Work on an image that outlasts its request. */
export interface Task {
  readonly id: string;
  readonly type: TaskType;
  readonly status: TaskStatus;
  /** The id of a project. */
  readonly owner: string;
  readonly userId: string | null;
  readonly requestId: string | null;
  readonly imageId: string | null;
  readonly input: Readonly<Record<string, unknown>> | null;
  /** The image that a successful task has made or changed. */
  readonly result: { readonly image_id: string } | null;
  readonly message: string;
  /** When the task is deleted; null until it ends. */
  readonly expiresAt: Micros | null;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
}

/** An image in the image cache, or in the queue for it. */
export interface CachedImage {
  readonly imageId: string;
  readonly isQueued: boolean;
  /** How often the image was downloaded from the cache. */
  readonly hits: number;
  /** Bytes; 0 in the queue. */
  readonly size: number;
  readonly lastAccessed: Micros;
  readonly lastModified: Micros;
}

export const memberStatuses = ['pending', 'accepted', 'rejected'] as const;
export type MemberStatus = (typeof memberStatuses)[number];

/** A project that an image is shared with. */
export interface Member {
  readonly imageId: string;
  /** The id of the project. */
  readonly member: string;
  readonly status: MemberStatus;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
}

/** The defaults of a new image's fields. */
export const blankImage: Omit<Image, 'id' | 'owner' | 'createdAt' | 'updatedAt'> = {
  name: null,
  status: 'queued',
  visibility: 'shared',
  size: null,
  virtualSize: null,
  checksum: null,
  hashAlgo: null,
  hashValue: null,
  containerFormat: null,
  diskFormat: null,
  minDisk: 0,
  minRam: 0,
  isProtected: false,
  isHidden: false,
  revision: 0,
  locations: [],
  tags: [],
  properties: {},
};

/** The fields of a new image. Those that are absent get their defaults from `blankImage`. */
export type NewImage = Partial<Omit<Image, 'createdAt' | 'updatedAt' | 'revision'>> &
  Pick<Image, 'owner'>;

export const namespaceVisibilities = ['public', 'private'] as const;
export type NamespaceVisibility = (typeof namespaceVisibilities)[number];

/** A namespace of metadata definitions: of properties that resources can have. */
export interface Namespace {
  /** The order of creation. */
  readonly id: number;
  /** The name, which is unique in the region. */
  readonly namespace: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly visibility: NamespaceVisibility;
  readonly isProtected: boolean;
  readonly owner: string;
  /** For optimistic locking. Writes to the contents of a namespace bump it, too. */
  readonly revision: number;
  readonly createdAt: Micros;
  /** Null until the first update of a default definition. */
  readonly updatedAt: Micros | null;
}

/** The definition of a property in JSON schema, with the fields that Glance knows. */
export type PropertyType = Readonly<Record<string, unknown>> & {
  readonly title: string;
  readonly type: string;
};

export type PropertyTypes = Readonly<Record<string, PropertyType>>;

/** Something with a name that is unique in its namespace. */
interface InNamespace {
  /** The order of creation. */
  readonly id: number;
  readonly namespaceId: number;
  readonly name: string;
}

interface Timestamps {
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** A group of properties in a namespace. */
export interface MetadefObject extends InNamespace, Timestamps {
  readonly description: string | null;
  /** The names of the properties that a resource must have. */
  readonly required: readonly string[];
  readonly properties: PropertyTypes;
}

/** A property of a namespace that is in no object. */
export interface MetadefProperty extends InNamespace {
  readonly definition: PropertyType;
}

export interface MetadefTag extends InNamespace, Timestamps {}

/** The resource type, such as `OS::Nova::Flavor`, that the properties of a namespace are for. */
export interface Association extends InNamespace, Timestamps {
  /** What the names of the properties begin with on such a resource, such as `hw:`. */
  readonly prefix: string | null;
  /** Which of the resource's collections has the properties, such as `image` of a volume. */
  readonly propertiesTarget: string | null;
}

/** A resource type that a namespace is or was associated with. */
export interface ResourceType extends Timestamps {
  /** The order of creation. */
  readonly id: number;
  readonly name: string;
}
