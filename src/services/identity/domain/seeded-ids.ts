// The ids of the resources that a new cloud has. They are the same in every cloud, so that ids that
// clients have stored stay valid after a reset.
import { idFor } from '../../../kernel/ids.ts';

export const defaultDomainId = 'default';

/** The id of a seeded project, user, role or service. */
export const seededId = (type: 'project' | 'user' | 'role' | 'service', name: string): string =>
  idFor(`identity.${type}.${name}`);
