// The view of an address group.
import type { AddressGroup } from '../model.ts';
import { standardView, type View } from './view.ts';

export const addressGroupView = (group: AddressGroup): View => ({
  ...group,
  ...standardView(group),
});
