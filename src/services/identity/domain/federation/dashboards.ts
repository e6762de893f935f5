// The dashboards that get tokens by single sign-on. Upstream: keystone/api/auth.py.
import { badRequest } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { decodeQueryText } from '../../../../kernel/query.ts';
import { unauthenticated } from '../refusals.ts';
import { loadSettings } from '../settings.ts';

/**
 * The URL of the dashboard that a request names as its origin. Upstream decodes it once more.
 * @throws 400 without an origin, 401 if it is not trusted
 */
export async function trustedDashboard(
  context: Context,
  origin: string | undefined,
): Promise<string> {
  if (!origin) throw badRequest('Request must have an origin query parameter');
  const url = decodeQueryText(origin);
  const { trustedDashboard: trusted } = await loadSettings(context);
  if (!trusted.some((one) => withPlainHost(one) === url)) throw unauthenticated();
  return url;
}

/** A URL with its host in lower case, so that it equals those that browsers send. */
const withPlainHost = (url: string): string =>
  url.replace(/^[^:]*:\/\/[^/?#]*/, (host) => host.toLowerCase());
