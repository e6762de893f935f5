// The client that makes a world: it sends requests to the services of a cloud in the same process,
// with the tokens of the user admin, as a program of an operator would.
import { requestFromWithin } from '../../kernel/http/app.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Cloud, Region } from '../../kernel/model.ts';

/** The parts of a reply that makers read. */
export type Json = Readonly<Record<string, unknown>>;

/** How to send a request. */
export interface Ask {
  readonly body?: unknown;
  /** The bytes of the body, if it is not JSON. */
  readonly bytes?: Buffer;
  /** The media type, if it is not plain JSON. */
  readonly type?: string;
  /** The microversion, as in `OpenStack-API-Version`. */
  readonly version?: string;
  /** The project to act in; `admin` by default. */
  readonly project?: string | undefined;
}

/** A service that refuses a request. */
export class Refusal extends ApiError {}

const idOf = (value: unknown): string => String((value as Json | undefined)?.['id']);

/** Sends requests as admin, who gets the role `admin` in a project before acting in it. */
export class WorldClient {
  readonly cloud: Cloud;
  private readonly tokens = new Map<string, string>();
  private readonly granted: string[] = [];

  constructor(cloud: Cloud) {
    this.cloud = cloud;
  }

  /**
   * Sends a request, and returns the JSON of the reply; an empty object if it has none.
   * @throws Refusal with the words of the service
   */
  async ask(method: string, url: string, ask: Ask = {}): Promise<Json> {
    try {
      return await this.askOnce(method, url, ask);
    } catch (error) {
      // The clock has moved beyond the time at which the tokens expire.
      if (!(error instanceof Refusal) || error.status !== 401 || !this.tokens.size) throw error;
      this.tokens.clear();
      return this.askOnce(method, url, ask);
    }
  }

  private async askOnce(method: string, url: string, ask: Ask): Promise<Json> {
    const { body, bytes, type = 'application/json', version, project = 'admin' } = ask;
    const token = url.startsWith('/_emulator') ? '' : await this.tokenFor(project);
    const raw = bytes ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
    const headers = {
      host: '127.0.0.1',
      'x-auth-token': token,
      ...(raw ? { 'content-type': type, 'content-length': String(raw.length) } : {}),
      ...(version === undefined ? {} : { 'openstack-api-version': version }),
    };
    return this.send(method, url, headers, raw);
  }

  private async send(
    method: string,
    url: string,
    headers: Readonly<Record<string, string>>,
    raw: Buffer | undefined,
  ): Promise<Json> {
    const reply = await requestFromWithin(this.cloud, { method, url, headers, raw });
    const json = jsonOf(reply.body);
    if (reply.status >= 400)
      throw new Refusal(reply.status, `${method} ${url}: ${reply.status} ${messageIn(json)}`);
    const issued = reply.headers?.['x-subject-token'];
    return issued === undefined ? json : { ...json, issued };
  }

  private async tokenFor(project: string): Promise<string> {
    // Without Keystone, a token is a user and a project.
    if (this.cloud.config.auth === 'noauth2') return `admin:${project}`;
    const known = this.tokens.get(project);
    if (known !== undefined) return known;
    const issued = project === 'admin' ? await this.signIn() : await this.enter(project);
    this.tokens.set(project, issued);
    return issued;
  }

  private signIn(): Promise<string> {
    const { adminPassword: password } = this.cloud.config;
    const user = { name: 'admin', domain: { id: 'default' }, password };
    return this.issue('admin', { methods: ['password'], password: { user } });
  }

  /** Signs in to another project, in which admin has the role for the time being. */
  private async enter(project: string): Promise<string> {
    const id = await this.projectId(project);
    const user = await this.identityId('users', 'admin');
    const path = `/identity/v3/projects/${id}/users/${user}/roles`;
    const role = await this.identityId('roles', 'admin');
    const { roles } = (await this.ask('GET', path)) as { roles: readonly Json[] };
    if (!roles.some((one) => one['id'] === role)) {
      await this.ask('PUT', `${path}/${role}`);
      this.granted.push(`${path}/${role}`);
    }
    const token = { id: await this.tokenFor('admin') };
    return this.issue(project, { methods: ['token'], token });
  }

  private async issue(project: string, identity: object): Promise<string> {
    const scope = { project: { name: project, domain: { id: 'default' } } };
    const raw = Buffer.from(JSON.stringify({ auth: { identity, scope } }));
    const headers = { host: '127.0.0.1', 'content-type': 'application/json' };
    const { issued } = await this.send('POST', '/identity/v3/auth/tokens', headers, raw);
    return String(issued);
  }

  /** Takes the roles that `enter` has given away back. */
  async leaveProjects(): Promise<void> {
    for (const path of this.granted.splice(0)) await this.ask('DELETE', path);
    this.tokens.clear();
  }

  /** The id of a project. Without Keystone, its name is its id. */
  async projectId(name: string): Promise<string> {
    if (this.cloud.config.auth === 'noauth2') return name;
    return this.identityId('projects', name);
  }

  /** The id of a user, group, role or project with this name. @throws ApiError 400 */
  async identityId(kind: 'users' | 'groups' | 'roles' | 'projects', name: string): Promise<string> {
    const domain = kind === 'roles' ? '' : '&domain_id=default';
    const path = `/identity/v3/${kind}?name=${encodeURIComponent(name)}${domain}`;
    const [found] = (await this.ask('GET', path))[kind] as readonly Json[];
    if (found) return idOf(found);
    throw new ApiError(400, `there is no ${kind.slice(0, -1)} '${name}'.`);
  }
}

/** The JSON of a body; a text that is not JSON is a message. */
function jsonOf(body: unknown): Json {
  if (typeof body === 'string') {
    try {
      return JSON.parse(body) as Json;
    } catch {
      return { message: body };
    }
  }
  return typeof body === 'object' && body !== null ? (body as Json) : {};
}

/** The message of an error in the format of any service. */
function messageIn(json: unknown): string {
  if (typeof json === 'string') return json;
  if (typeof json !== 'object' || json === null) return '';
  const fields = json as Json;
  for (const key of ['message', 'detail', 'error_message'])
    if (typeof fields[key] === 'string') return fields[key];
  return Object.values(fields).map(messageIn).find(Boolean) ?? '';
}

/** A region of the world that is made, and what makers have found in it. */
export class RegionClient {
  readonly client: WorldClient;
  readonly region: Region;
  private readonly isFirst: boolean;
  private readonly ids = new Map<string, string>();

  constructor(client: WorldClient, region: Region, isFirst: boolean) {
    this.client = client;
    this.region = region;
    this.isFirst = isFirst;
  }

  get name(): string {
    return this.region.name;
  }

  /**
   * Adds hosts with one call of the service that has them: a request for each of some thousand
   * hosts takes twenty times as long.
   * @returns their UUIDs
   */
  async addHosts(descriptions: readonly Json[]): Promise<readonly string[]> {
    const { cloud } = this.client;
    const service = cloud.services.find(({ definition }) => definition.addHosts);
    const hosts = await service!.definition.addHosts!(cloud, this.region, descriptions);
    return hosts.map(({ uuid }) => uuid);
  }

  /** Sends a request to a service of the region, such as `/compute/v2.1/servers`. */
  ask(method: string, path: string, ask: Ask = {}): Promise<Json> {
    return this.client.ask(method, this.isFirst ? path : `/${this.name}${path}`, ask);
  }

  /** Remembers the id of a resource that was made. */
  remember(kind: string, name: string, id: string): void {
    this.ids.set(`${kind} ${name}`, id);
  }

  /** Runs a step unless it has run before, in this region, under that name. */
  async once(step: string, run: () => Promise<unknown>): Promise<void> {
    if (this.ids.has(step)) return;
    await run();
    this.ids.set(step, '');
  }

  /**
   * The id of a resource by its name, or by its id: of one that was made, or else of a list.
   * @throws ApiError 400 with the known names
   */
  async idOf(kind: keyof typeof lists, name: string): Promise<string> {
    const known = this.ids.get(`${kind} ${name}`);
    if (known !== undefined) return known;
    const found = await this.listOf(kind);
    const match = found.find((one) => one['name'] === name || one['id'] === name);
    if (match) {
      this.remember(kind, name, idOf(match));
      return idOf(match);
    }
    const names = found.map((one) => String(one['name'])).slice(0, 12);
    throw new ApiError(
      400,
      `there is no ${kind.replace('_', ' ')} '${name}' in ${this.name}. ` +
        `Known: ${names.join(', ') || 'none'}.`,
    );
  }

  /** All resources of a kind. */
  async listOf(kind: keyof typeof lists): Promise<readonly Json[]> {
    const { path, key } = lists[kind];
    const reply = await this.ask('GET', path);
    return reply[key] as readonly Json[];
  }
}

interface List {
  readonly path: string;
  readonly key: string;
}

/** Where resources are listed. */
const lists = {
  flavor: { path: '/compute/v2.1/flavors/detail?is_public=None', key: 'flavors' },
  aggregate: { path: '/compute/v2.1/os-aggregates', key: 'aggregates' },
  image: { path: '/image/v2/images?limit=1000', key: 'images' },
  network: { path: '/network/v2.0/networks', key: 'networks' },
  router: { path: '/network/v2.0/routers', key: 'routers' },
  volume_type: { path: '/volume/v3/types?is_public=None', key: 'volume_types' },
  server_group: { path: '/compute/v2.1/os-server-groups?all_projects=true', key: 'server_groups' },
  server: { path: '/compute/v2.1/servers?all_tenants=1', key: 'servers' },
  policy: { path: '/clustering/v1/policies?global_project=true', key: 'policies' },
} satisfies Readonly<Record<string, List>>;

/** The resource in a reply, such as that under `server`. */
export const partOf = (reply: Json, key: string): Json => reply[key] as Json;

/** The id of the resource in a reply. */
export const idIn = (reply: Json, key: string): string => idOf(reply[key]);
