// The errors of Clustering, with the types and messages of upstream's exceptions.
import { ApiError } from '../../../kernel/errors.ts';
import { pythonRepr } from '../../../kernel/oslo/python-repr.ts';

/** The message for a body whose structure upstream's code cannot process. */
export const genericRefusal =
  'The server could not comply with the request since it is either malformed or otherwise ' +
  'incorrect.';

/** An error under the name of upstream's exception. */
export class ClusteringError extends ApiError {
  readonly type: string;
  constructor(status: number, type: string, message: string) {
    super(status, message);
    this.type = type;
  }
}

/** An error that WebOb renders upstream, before Senlin's own format applies. */
export class FrameworkError extends ApiError {}

const refusal =
  (status: number, type: string) =>
  (message: string): ApiError =>
    new ClusteringError(status, type, message);

/** An error of upstream's API layer. */
export const invalid = (message: string, type = 'HTTPBadRequest'): ApiError =>
  refusal(400, type)(message);
/** An error of upstream's engine. Its message ends in exactly one dot. */
export const bad = (message: string): ApiError =>
  refusal(400, 'BadRequest')(`${message.replace(/\.$/, '')}.`);
export const invalidSpec = refusal(400, 'InvalidSpec');
/**
 * A policy's spec violates its schema. Upstream maps this exception to no status, so it is a 500.
 */
export const schemaError = refusal(500, 'ESchema');
export const malformed = (): ApiError => invalid(genericRefusal);
export const forbiddenHere = (): ApiError =>
  refusal(403, 'Forbidden')('You are not authorized to complete this operation.');

/** @param kind such as `cluster` or `policy_type` */
export const notFoundHere = (kind: string, id: string): ApiError =>
  refusal(404, 'ResourceNotFound')(`The ${kind} '${id}' could not be found.`);
export const multipleChoices = (query: string): ApiError =>
  refusal(
    400,
    'MultipleChoices',
  )(`Multiple results found matching the query criteria '${query}'. Please be more specific.`);
export const inUse = (kind: string, id: string, reason: string): ApiError =>
  refusal(409, 'ResourceInUse')(`The ${kind} '${id}' cannot be deleted: ${reason}.`);
export const locked = (action: string, kind: string, id: string): ApiError =>
  refusal(
    409,
    'ResourceIsLocked',
  )(`${action} for ${kind} '${id}' cannot be completed because it is already locked.`);
export const inProgress = (kind: string, id: string, status: string): ApiError =>
  refusal(409, 'ActionInProgress')(`The ${kind} '${id}' is in status ${status}.`);
export const actionConflict = (action: string, target: string, ids: readonly string[]): ApiError =>
  refusal(
    409,
    'ActionConflict',
  )(
    `The ${action} action for target ${target} conflicts with the following action(s): ` +
      ids.join(','),
  );
export const coolingDown = (action: string, cluster: string, policy: string): ApiError =>
  refusal(
    409,
    'ActionCooldown',
  )(
    `The ${action} action for cluster ${cluster} cannot be processed due to Policy ${policy} ` +
      'cooldown still in progress',
  );
export const immutable = (id: string, status: string, expected: readonly string[]): ApiError =>
  refusal(
    409,
    'ActionImmutable',
  )(
    `Action (${id.slice(0, 8)}) is in status (${status}) while expected status must be one of ` +
      `(${pythonList(expected)}).`,
  );
export const notSupported = (feature: string): ApiError =>
  refusal(409, 'FeatureNotSupported')(`${feature} is not supported.`);
export const notBound = (policy: string, cluster: string): ApiError =>
  refusal(
    404,
    'PolicyBindingNotFound',
  )(`The policy '${policy}' is not found attached to the specified cluster '${cluster}'.`);
export const overQuota = (): ApiError => refusal(500, 'OverQuota')('Quota exceeded for resources.');
export const operationFailed = refusal(500, 'ProfileOperationFailed');

/** A list as Python prints it: `['a', 'b']`. */
export const pythonList = (items: readonly string[]): string => pythonRepr(items);

/** A failure of an action or a policy. Its message becomes the reason of the failure. */
export class EngineFailure extends Error {}
