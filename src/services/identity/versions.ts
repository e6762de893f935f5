// Identity has no microversions: v3 is one version that includes all additions.
import { versions, type Version } from '../../kernel/microversion.ts';

export const identityVersions = versions('identity', {
  '3.14': 'The API as of Keystone 17 (Ussuri); nothing since has raised the number.',
});

export type IdentityVersion = '3.14';
export type At = Version<IdentityVersion>;
