// Renders the aggregates of a provider.
import type { Version } from '../../../kernel/microversion.ts';
import type { Provider } from '../model.ts';
import type { PlacementVersion } from '../versions.ts';

export function aggregatesView(
  version: Version<PlacementVersion>,
  { generation }: Provider,
  aggregates: readonly string[],
): object {
  return { aggregates, ...version.since('1.19', { resource_provider_generation: generation }) };
}
