// Image has no microversions that a request could ask for: what discovery lists are steps in the history of v2.
import { versions, type Version } from '../../kernel/microversion.ts';

export const imageVersions = versions('image', {
  '2.17': 'The API as a Glance without several stores and without a cache has it.',
});

export type ImageVersion = '2.17';
export type At = Version<ImageVersion>;

/** The steps that discovery lists, newest first: none of them needs several stores or a cache of images. */
export const listedVersions: readonly string[] = ['2.17', '2.15', '2.9', '2.7', '2.6', '2.5', '2.4', '2.3', '2.2', '2.1', '2.0'];
