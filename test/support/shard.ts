// Test files that run the same suite for each service: the run may ask for one service at a time.
import { ownDefinitions } from '../../src/services/index.ts';

/** The services, each of which is a shard. */
export const shards: readonly string[] = ownDefinitions.map(({ name }) => name);

/** The services for which a sharded file declares its suite: one, or all of them. */
export function servicesOfShard(): readonly string[] {
  const asked = process.env['CUMULET_TEST_SERVICE'];
  if (!asked) return shards;
  if (!shards.includes(asked))
    throw new Error(`CUMULET_TEST_SERVICE=${asked}: unknown service. Use ${shards.join(', ')}.`);
  return [asked];
}
