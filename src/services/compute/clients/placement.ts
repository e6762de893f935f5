// The client of Placement: candidates and allocations for servers, and the resource providers of
// hosts.
export {
  allocationsOf,
  changeAggregates,
  changeTraits,
  deleteAllocations,
  deleteProvider,
  ensureProvider,
  inventoriesOf,
  listCandidates,
  setAllocations,
  standardClasses,
  standardTraits,
} from '../../placement/index.ts';
export type {
  Allocations,
  Amounts,
  Candidate,
  CandidateRequest,
  Inventory,
  RequestGroup,
} from '../../placement/index.ts';
