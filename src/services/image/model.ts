// The records of Image: images and their members.
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
  readonly tags: readonly string[];
  readonly properties: Readonly<Record<string, string>>;
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
  tags: [],
  properties: {},
};

/** The fields of a new image. Those that are absent get their defaults from `blankImage`. */
export type NewImage = Partial<Omit<Image, 'createdAt' | 'updatedAt' | 'revision'>> &
  Pick<Image, 'owner'>;
