// Image's versions. A request cannot choose one: discovery lists the minor versions of v2, and all
// requests get the newest.
import { versions, type Version } from '../../kernel/microversion.ts';

export const imageVersions = versions('image', {
  '2.15': 'the API of a Glance with one store and without an image cache',
});

export type ImageVersion = '2.15';
export type At = Version<ImageVersion>;

/**
 * The minor versions that discovery lists, newest first. It omits those that need several stores or
 * an image cache, and 2.17, which adds the locations API.
 */
export const listedVersions: readonly string[] = [
  '2.15',
  '2.9',
  '2.7',
  '2.6',
  '2.5',
  '2.4',
  '2.3',
  '2.2',
  '2.1',
  '2.0',
];
