// Splits test files that run the same suite for each service: a run can select one service at a
// time.
import { ownDefinitions } from '../../src/services/index.ts';

/** The shards of such a file: one for each service. */
export const shards: readonly string[] = ownDefinitions.map(({ name }) => name);

/** The services for which a sharded file declares its suite: the selected one, or all of them. */
export function servicesOfShard(): readonly string[] {
  const selected = process.env['CUMULET_TEST_SERVICE'];
  if (!selected) return shards;
  if (!shards.includes(selected))
    throw new Error(`CUMULET_TEST_SERVICE=${selected}: unknown service. Use ${shards.join(', ')}.`);
  return [selected];
}
