// The fields of a new local user who cannot sign in with a password.
import type { User } from '../../model.ts';

export const blankUser: Omit<User, 'id' | 'name' | 'domainId'> = {
  enabled: true,
  defaultProjectId: null,
  passwordHash: null,
  previousHashes: null,
  passwordExpiresAt: null,
  passwordChosenAt: null,
  createdAt: null,
  lastActiveAt: null,
  isLocal: true,
  options: {},
  extra: {},
  tokenEpoch: 0,
};
