// A driver for what no service of the cloud makes: it is there as soon as it is asked for.
import type { Json } from '../../model.ts';
import { DriverFailure, type Driver, type Physical } from './types.ts';

/** @param newId names what is made. @param details shows it */
export function simulatedDriver(
  newId: () => string,
  details: (physical: Physical) => Json,
): Driver {
  const nothing = { changes: {} };
  return {
    create: () => Promise.resolve({ changes: { physicalId: newId() } }),
    remove: () => Promise.resolve({ changes: { physicalId: null } }),
    update: () => Promise.resolve(nothing),
    check: () => Promise.resolve('active'),
    operate: () => Promise.resolve(nothing),
    join: () => Promise.resolve(),
    leave: () => Promise.resolve(),
    details: (physical) => Promise.resolve(details(physical)),
    preview: (_context, identity) =>
      Promise.reject(new DriverFailure(`No resource found for ${identity}`)),
  };
}
