// Access rules of application credentials: they limit the requests that a token may be used for.
// Upstream: keystonemiddleware/auth_token/__init__.py, validate_allowed_request.
import { pathMatches } from '../path-pattern.ts';

/** One access rule: it allows requests with this service, method and path. */
export interface AccessRule {
  /** The type of the service, as in the catalog. */
  readonly service: string;
  readonly method: string;
  /** A path pattern: see path-pattern.ts. */
  readonly path: string;
}

/** The parts of a request that access rules compare. */
export interface RuledRequest {
  readonly service: string | undefined;
  readonly method: string;
  /**
   * The path with and without the service's mount prefix. Which of them upstream compares depends
   * on the deployment of the service.
   */
  readonly paths: readonly string[];
}

/** Whether one of the rules allows the request. Validating a token is always allowed. */
export function allowedBy(
  rules: readonly AccessRule[],
  { service, method, paths }: RuledRequest,
): boolean {
  const validates =
    service === 'identity' &&
    method === 'GET' &&
    paths.some((path) => path.endsWith('/v3/auth/tokens'));
  if (validates) return true;
  return rules.some(
    (rule) =>
      rule.method === method &&
      rule.service === service &&
      paths.some((path) => pathMatches(path, rule.path)),
  );
}
