// The Placement service: what providers have, and who uses it.
import { badRequest, notAcceptable } from '../../kernel/fault.ts';
import { authenticate, enforceContract, enforcePolicy, expectJson, negotiate, requireJsonType } from '../../kernel/http/steps.ts';
import { placementRefusals, takesJson, tellPlacement } from './faults.ts';
import { subjectFirst } from './handlers/subject.ts';
import { placementPolicy } from './policy.ts';
import { placementRoutes } from './routes.ts';
import { seedPlacement } from './seed.ts';
import { placementVersions, type PlacementVersion } from './versions.ts';
import type { Step, Card } from '../../kernel/model.ts';
import type { PlacementRoute } from './call.ts';

export { standardClasses } from './domain/standard-classes.ts';
export { standardTraits } from './domain/standard-traits.ts';
export {
  changeAggregates, changeTraits, dropProvider, ensureProvider, setInventories, stocksOf, type ProviderShape, type Stock,
} from './domain/own-providers.ts'; // prettier-ignore

/** A body must say what it is, whatever the path. Upstream: placement/handler.py. */
const requireContentType: Step = (call) => {
  if (Number(call.headers['content-length'] ?? 0) > 0 && !call.headers['content-type']) {
    throw badRequest('content-type header required when content-length > 0');
  }
};

/** What answers with JSON refuses those who do not take it; the routes that are not asked say `anyAccept`. */
const requireAccept: Step = (call) => {
  if (call.method === 'GET' && !(call.route as PlacementRoute).anyAccept && !takesJson(call.headers.accept))
    throw notAcceptable('Only application/json is provided');
};

/** Of aggregates, media types are looked at before the version: at 1.0 too. Upstream: placement/handlers/aggregate.py, its decorators. */
const aggregatesTypes: Step = (call) => {
  if (call.at.has('1.1') || !/^\/resource_providers\/[^/]+\/aggregates$/.test(call.path)) return;
  if (call.method === 'GET' && !takesJson(call.headers.accept)) throw notAcceptable('Only application/json is provided');
  if (call.method === 'PUT') expectJson(call);
};

export const placement: Card<PlacementVersion> = {
  name: 'placement',
  type: 'placement',
  description: 'Placement',
  prefix: '/placement',
  home: 'region',
  versions: placementVersions,
  routes: placementRoutes,
  policy: placementPolicy,
  before: [authenticate((call) => call.path === '/'), negotiate, requireContentType, aggregatesTypes],
  checks: [requireJsonType, requireAccept, enforcePolicy, subjectFirst(enforceContract(placementRefusals))],
  tell: tellPlacement,
  headers: ({ at }): Record<string, string> =>
    at ? { 'openstack-api-version': `placement ${at.name}`, vary: 'openstack-api-version' } : {},
  bodyLimit: 64 * 1024 * 1024,
  seed: seedPlacement,
};

export {
  dropUses,
  findOffers,
  setUses,
  usesOf,
  type Amounts,
  type Demand,
  type Offer,
  type Use,
  type Uses,
} from './domain/in-process.ts';
export type { AskedGroup } from './domain/candidates/request.ts';
