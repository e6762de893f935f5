// Placement's own checks of a request. The service definition in index.ts has their order.
import { ApiError, notAcceptable } from '../../kernel/errors.ts';
import { authorize, enforceContract, expectJson } from '../../kernel/http/steps.ts';
import type { RoutedRequest, Step, TimedRequest } from '../../kernel/model.ts';
import type { PlacementRoute } from './call.ts';
import { placementRefusals, takesJson } from './errors.ts';
import { consumerInPath, missing } from './handlers/subject.ts';
import { findProvider } from './store/resource-providers.ts';
import { MiddlewareError, noSuchObject } from './domain/refusals.ts';

const routeOf = (call: RoutedRequest): PlacementRoute => call.route as PlacementRoute;

/** A request with a body must have a content type on every path. Upstream: placement/handler.py. */
export const requireContentType: Step = (call) => {
  if (Number(call.headers['content-length'] ?? 0) > 0 && !call.headers['content-type']) {
    throw new MiddlewareError(400, 'content-type header required when content-length > 0');
  }
};

/** @throws 406 if the client does not accept JSON */
function expectAccept(call: TimedRequest): void {
  if (!takesJson(call.headers.accept)) throw notAcceptable('Only application/json is provided');
}

/** The client of a GET must accept JSON, except on routes with `anyAccept`. */
export const requireAccept: Step<RoutedRequest> = (call) => {
  if (call.method === 'GET' && !routeOf(call).anyAccept) expectAccept(call);
};

/**
 * The routes of a provider's aggregates check media types before the version (from 1.1), because of
 * the order of upstream's decorators in placement/handlers/aggregate.py.
 */
export const requireAggregatesTypes: Step = (call) => {
  if (call.version?.has('1.1') || !/^\/resource_providers\/[^/]+\/aggregates$/.test(call.path))
    return;
  if (call.method === 'GET') expectAccept(call);
  if (call.method === 'PUT') expectJson(call);
};

/**
 * The policy for usages depends on the project in the query. It is enforced before the query is
 * validated.
 * @throws 403
 */
export const enforceUsagesPolicy: Step<RoutedRequest> = (call) => {
  if (call.route.path === '/usages')
    authorize(call, 'placement:usages', { project_id: call.query.last('project_id') ?? null });
};

/**
 * The provider in the path must exist. It is read outside of the transaction, which begins after
 * the checks.
 * @throws 404
 */
export const requireProvider: Step = async ({ params: { uuid }, region }) => {
  if (uuid !== undefined && !(await findProvider(region.database.db, uuid)))
    throw noSuchObject(missing.plain(uuid));
};

/** The consumer in the path must be a UUID. @throws 400 */
export const requireConsumerUuid: Step = (call) => {
  if (call.params['consumer_uuid'] !== undefined) consumerInPath(call);
};

const checkContract = enforceContract(placementRefusals);

/**
 * Enforces the contract after some other steps, because upstream's handlers look up the resource in
 * the path before they validate the body. The steps run only if the contract refuses the request:
 * handlers repeat their checks in the transaction. Routes with `schemaFirst` skip them.
 */
export const contractAfter =
  (...earlier: readonly Step[]): Step<RoutedRequest> =>
  async (call) => {
    try {
      return await checkContract(call);
    } catch (refusal) {
      if (!(refusal instanceof ApiError) || refusal.status !== 400 || routeOf(call).schemaFirst)
        throw refusal;
      for (const step of earlier) await step(call);
      throw refusal;
    }
  };
