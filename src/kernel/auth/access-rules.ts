// The access rules of application credentials: which requests a token may be used for.
// Upstream: keystonemiddleware/auth_token/__init__.py, validate_allowed_request.

/** One access rule: it allows requests with this service, method and path. */
export interface AccessRule {
  /** The type of the service, as in the catalog. */
  readonly service: string;
  readonly method: string;
  /** A path with `{tag}` or `*` for one segment, and `**` for any number of them. */
  readonly path: string;
}

/** A request, as access rules compare it. */
export interface Asked {
  readonly service: string | undefined;
  readonly method: string;
  /** The path with and without the service's mount prefix. Which one upstream compares depends on how the service is deployed. */
  readonly paths: readonly string[];
}

/** Whether one of the rules allows the request. A token can always be validated. */
export function allowedBy(rules: readonly AccessRule[], { service, method, paths }: Asked): boolean {
  const validates = service === 'identity' && method === 'GET' && paths.some((path) => path.endsWith('/v3/auth/tokens'));
  if (validates) return true;
  return rules.some(
    (rule) => rule.method === method && rule.service === service && paths.some((path) => pathMatches(path, rule.path)),
  );
}

/** Whether the pattern matches the path. */
export function pathMatches(path: string, pattern: string): boolean {
  const expression = pattern.replaceAll(/\{[^}]*\}|\*\*|\*|[^{*]+|\{/g, (part) => {
    if (part === '**') return '.*';
    return part === '*' || /^\{.*\}$/.test(part) ? '[^/]+' : part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`);
  });
  return new RegExp(`^${expression}$`).test(path);
}
