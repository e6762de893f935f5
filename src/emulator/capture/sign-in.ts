// Signs in to a cloud, and finds its services in the catalog.
import { sendRequest } from '../../kernel/http-client.ts';
import type { CloudAccess } from './clouds-yaml.ts';
import { CaptureError, textOf, timeout, type Json } from './model.ts';

/**
 * The types of the services in a catalog, by their names here. Placement is the first, because the
 * central region of Tricircle, which has none, has no hosts to capture.
 */
const types: Readonly<Record<string, readonly string[]>> = {
  placement: ['placement'],
  compute: ['compute'],
  image: ['image'],
  network: ['network'],
  volume: ['block-storage', 'volumev3', 'block-store'],
  reservation: ['reservation'],
  clustering: ['clustering'],
};

interface Entry {
  readonly type: string;
  readonly endpoints: readonly {
    readonly interface: string;
    readonly region?: string;
    readonly region_id?: string;
    readonly url: string;
  }[];
}

/** A token, with the project and the catalog that it was issued with. */
export interface Session {
  readonly token: string;
  /** The project of the token; null without one. */
  readonly project: string | null;
  readonly catalog: readonly Entry[];
}

/** The URL of Identity, with its version. */
export const identityRoot = ({ authUrl }: CloudAccess): string =>
  authUrl.replace(/\/+$/, '').replace(/(\/v3)?$/, '/v3');

/** Asks for a token. @throws CaptureError if the cloud refuses */
export async function signIn(access: CloudAccess): Promise<Session> {
  const root = identityRoot(access);
  const reply = await sendRequest(`${root}/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth: access.auth }),
    timeout,
  });
  const token = reply.headers.get('x-subject-token');
  if (!token)
    throw new CaptureError(`${root} refuses to sign in: ${reply.status} ${textOf(reply.body)}`);
  const { token: shown = {} } = jsonOf(reply.body) as { token?: Json };
  const { project, catalog } = shown as { project?: { id: string }; catalog?: readonly Entry[] };
  return { token, project: project?.id ?? null, catalog: catalog ?? [] };
}

/** The error for a region without Placement in a cloud whose other regions have it. */
const withoutPlacement = (
  region: string | undefined,
  others: readonly { readonly region?: string; readonly region_id?: string }[],
): CaptureError =>
  new CaptureError(
    `The region ${region} has no Placement in the catalog, so it has no hosts to capture. ` +
      `Name another one with --region: ${others.map((one) => one.region_id ?? one.region).join(', ')}.`,
  );

/**
 * Finds the public endpoints of the services in a region.
 * @param wanted the region; undefined for the first one with Placement in the catalog
 * @throws CaptureError if the region has no Placement, and others have
 */
export function endpointsIn(
  { catalog }: Session,
  wanted: string | undefined,
): { readonly endpoints: ReadonlyMap<string, string>; readonly region: string } {
  const endpoints = new Map<string, string>();
  let region = wanted;
  for (const [service, names] of Object.entries(types)) {
    const all = catalog
      .filter(({ type }) => names.includes(type))
      .flatMap((one) => one.endpoints.filter((each) => each.interface === 'public'));
    const found = all.find(
      (one) => region === undefined || [one.region, one.region_id].includes(region),
    );
    if (!found && service === 'placement' && all.length) throw withoutPlacement(region, all);
    if (!found) continue;
    region ??= found.region_id ?? found.region;
    endpoints.set(service, rootOf(service, found.url));
  }
  return { endpoints, region: region ?? 'RegionOne' };
}

/** The URL that paths are appended to, without the version that some catalogs have in it. */
function rootOf(service: string, url: string): string {
  const root = url.replace(/\/+$/, '');
  const versioned = ['image', 'network', 'reservation', 'clustering'].includes(service);
  return versioned ? root.replace(/\/v[12](\.0)?$/, '') : root;
}

/** Parses a body. @throws CaptureError */
export function jsonOf(body: Buffer): Json {
  try {
    return JSON.parse(body.toString()) as Json;
  } catch {
    throw new CaptureError(`The reply is not JSON: ${textOf(body)}`);
  }
}
