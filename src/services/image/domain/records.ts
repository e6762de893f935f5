// What Image knows of an image, of its members, and of who asks.
import type { Micros } from '../../../kernel/clock.ts';

export type Visibility = 'public' | 'community' | 'shared' | 'private';

export interface Image {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  readonly visibility: Visibility;
  readonly owner: string | null;
  readonly size: number | null;
  readonly virtualSize: number | null;
  readonly checksum: string | null;
  readonly hashAlgo: string | null;
  readonly hashValue: string | null;
  readonly containerFormat: string | null;
  readonly diskFormat: string | null;
  readonly minDisk: number;
  readonly minRam: number;
  readonly isProtected: boolean;
  readonly isHidden: boolean;
  readonly revision: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
  readonly tags: readonly string[];
  readonly properties: Readonly<Record<string, string>>;
}

export interface Member {
  readonly imageId: string;
  readonly member: string;
  readonly status: string;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
}

/** Who looks at images: an administrator sees all of them. */
export interface Viewer {
  readonly projectId: string | undefined;
  readonly isAdmin: boolean;
}

/** What a new image is, where nothing else is said. */
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
