// A driver for resources without a service: creating one only assigns an id.
import type { Json } from '../../model.ts';
import { DriverFailure, type Driver, type Physical } from './types.ts';

/** @param newId generates an id. @param details shows a resource */
export function simulatedDriver(
  newId: () => string,
  details: (physical: Physical) => Json,
): Driver {
  const unchanged = { changes: {} };
  return {
    create: () => Promise.resolve({ changes: { physicalId: newId() } }),
    remove: () => Promise.resolve({ changes: { physicalId: null } }),
    update: () => Promise.resolve(unchanged),
    check: () => Promise.resolve('active'),
    operate: () => Promise.resolve(unchanged),
    join: () => Promise.resolve(),
    leave: () => Promise.resolve(),
    details: (physical) => Promise.resolve(details(physical)),
    preview: (_context, identity) =>
      Promise.reject(new DriverFailure(`No resource found for ${identity}`)),
  };
}
