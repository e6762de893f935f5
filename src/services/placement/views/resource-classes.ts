// Renders a resource class.
import type { PlacementCall } from '../call.ts';
import type { Named } from '../model.ts';

export const classUrl = ({ prefix }: PlacementCall, name: string): string =>
  `${prefix}/resource_classes/${name}`;

export const classView = (call: PlacementCall, { name }: Named): object => ({
  name,
  links: [{ rel: 'self', href: classUrl(call, name) }],
});
