// Renders traits.
import type { PlacementCall } from '../call.ts';
import type { Named, Provider } from '../model.ts';

export const traitUrl = ({ prefix }: PlacementCall, name: string): string =>
  `${prefix}/traits/${name}`;

export const traitsView = (traits: readonly Named[]): { traits: string[] } => ({
  traits: traits.map(({ name }) => name),
});

export const providerTraitsView = ({ generation }: Provider, traits: readonly Named[]): object => ({
  ...traitsView(traits),
  resource_provider_generation: generation,
});
