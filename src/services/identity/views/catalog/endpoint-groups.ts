// An endpoint group in the format of the API.
import type { EndpointGroup } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

export const endpointGroupView = (
  call: Call,
  { id, name, description, filters }: EndpointGroup,
): View => ({
  id,
  name,
  description,
  filters,
  links: { self: linkTo(call, `OS-EP-FILTER/endpoint_groups/${id}`) },
});
