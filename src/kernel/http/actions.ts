// The action envelope of Nova, Cinder and Senlin: the body's only key names what is done to the
// resource in the path.
import { badRequest, notFound } from '../errors.ts';
import { inSpan } from '../microversion.ts';
import type { Action, Call, Handler, Reply, Step } from '../model.ts';

/**
 * How a body is read that names an action. `several` takes the first key where others follow it, as
 * Cinder does.
 */
export interface ActionReading {
  readonly several?: boolean;
}

/**
 * Finds out which action the body of a route with `actions` names, before the body is held against
 * the contract.
 * @throws 400 for a body that names none, or one that there is not
 */
export function requireAction(call: Call, { several = false }: ActionReading = {}): void {
  const { actions } = call.route;
  if (!actions) return;
  const { body } = call;
  const keys =
    typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
  if (!keys.length || (keys.length > 1 && !several)) throw badRequest('Malformed request body');
  if (!Object.hasOwn(actions, keys[0]!)) throw badRequest(`There is no such action: ${keys[0]}`);
}

/** The name of the action, where the path has actions and the body names one of them. */
export function actionNameOf({ route, body }: Pick<Call, 'route' | 'body'>): string | undefined {
  if (!route?.actions || typeof body !== 'object' || body === null) return undefined;
  return Object.keys(body).find((name) => Object.hasOwn(route.actions!, name));
}

/** The action that the body names. */
function actionOf({ route, body }: Call): Action {
  return route.actions![Object.keys(body as object)[0]!]!;
}

/** @throws 404 for an action that the version does not have */
export const requireActionInSpan: Step = (call) => {
  if (!call.route.actions) return;
  const action = actionOf(call);
  if (
    typeof action !== 'function' &&
    !inSpan(call.version, action.span, call.service.definition.versions)
  )
    throw notFound('');
};

/** The handler of a route with `actions`. */
export const act: Handler = (call): Reply | Promise<Reply> => {
  const action = actionOf(call);
  return (typeof action === 'function' ? action : action.handler)(call);
};
