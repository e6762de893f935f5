// Actions of Nova, Cinder and Senlin: the only key of the body names the action on the resource in
// the path.
import { badRequest, notFound } from '../errors.ts';
import { inSpan } from '../microversion.ts';
import type { Action, Handler, IncomingRequest, Reply, RoutedRequest, Step } from '../model.ts';

export interface ActionReading {
  /** Uses the first key of a body with several keys, as Cinder does. */
  readonly several?: boolean;
}

/**
 * Checks that the body of a route with `actions` names one of them, before the body is validated.
 * @throws 400 for a body without an action, or with an unknown one
 */
export function requireAction(
  call: Pick<RoutedRequest, 'route' | 'body'>,
  { several = false }: ActionReading = {},
): void {
  const { actions } = call.route;
  if (!actions) return;
  const { body } = call;
  const keys =
    typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
  if (!keys.length || (keys.length > 1 && !several)) throw badRequest('Malformed request body');
  if (!Object.hasOwn(actions, keys[0]!)) throw badRequest(`There is no such action: ${keys[0]}`);
}

/** The name of the action, if the path has actions and the body names one of them. */
export function actionNameOf({ route, body }: IncomingRequest): string | undefined {
  if (!route?.actions || typeof body !== 'object' || body === null) return undefined;
  return Object.keys(body).find((name) => Object.hasOwn(route.actions!, name));
}

/** The action that the body names. */
function actionOf({ route, body }: RoutedRequest): Action {
  return route.actions![Object.keys(body as object)[0]!]!;
}

/** @throws 404 for an action that does not exist in the version */
export const requireActionInSpan: Step<RoutedRequest> = (call) => {
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
