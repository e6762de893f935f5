// Image's records: images and their members.
import type { Micros } from '../../kernel/clock.ts';

export type Visibility = 'public' | 'community' | 'shared' | 'private';

export interface Image {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  readonly visibility: Visibility;
  readonly owner: string | null;
  /** Bytes; null until there is data. */
  readonly size: number | null;
  /** Bytes of the disk in the data; null where the format does not tell. */
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
  /** Counts the writes, for compare-and-swap. */
  readonly revision: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
  readonly tags: readonly string[];
  readonly properties: Readonly<Record<string, string>>;
}

/** A project that an image is shared with. */
export interface Member {
  readonly imageId: string;
  /** The id of the project. */
  readonly member: string;
  readonly status: string;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
}

/** The fields of a new image that a request leaves out. */
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

/**
 * What an image is made of: its owner, and whatever else is known; the rest is as in `blankImage`.
 */
export type NewImage = Partial<Omit<Image, 'createdAt' | 'updatedAt' | 'revision'>> &
  Pick<Image, 'owner'>;
