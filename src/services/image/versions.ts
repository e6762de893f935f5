// Image's versions. A request cannot choose one: discovery lists the minor versions of v2, and all
// requests get the newest.
import { versions, type Version } from '../../kernel/microversion.ts';

export const imageVersions = versions('image', {
  '2.18': 'the API of a Glance with several stores and an image cache',
});

export type ImageVersion = '2.18';
export type At = Version<ImageVersion>;

/** The minor versions that discovery lists, newest first. */
export const listedVersions: readonly string[] = Array.from(
  { length: 19 },
  (_, index) => `2.${18 - index}`,
);
