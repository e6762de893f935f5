// What Compute asks of Placement: candidates and allocations of servers, and the resource providers
// that its hosts are.
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
