// A client of an emulator's services, as a user has one beside the page.

/** Sends requests as the user admin. */
export class OtherClient {
  readonly origin: string;
  private token = '';

  constructor(origin: string) {
    this.origin = origin;
  }

  /** Signs in as admin in the project admin. */
  async signIn(): Promise<void> {
    this.token = ''; // Keystone refuses a request with a token of the cloud before a reset
    const domain = { id: 'default' };
    const { headers } = await this.fetch('POST', '/identity/v3/auth/tokens', {
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: 'admin', password: 'secret', domain } },
        },
        scope: { project: { name: 'admin', domain } },
      },
    });
    this.token = headers.get('x-subject-token') ?? '';
  }

  /** Sends a request. @returns the body of the reply, whatever its status */
  async send<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    version?: string,
  ): Promise<T> {
    const text = await (await this.fetch(method, path, body, version)).text();
    return (text ? JSON.parse(text) : undefined) as T;
  }

  private fetch(method: string, path: string, body?: unknown, version?: string): Promise<Response> {
    return fetch(`${this.origin}${path}`, {
      method,
      headers: {
        'x-auth-token': this.token,
        'user-agent': 'python-openstackclient/8.0.0',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(version === undefined ? {} : { 'openstack-api-version': version }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** Creates servers without a network. @returns their ids */
  async createServers(name: string, count: number, more: NewServer = {}): Promise<string[]> {
    const { flavor = 'm1.small', fields = {}, hints, prefix = '' } = more;
    const { flavors } = await this.send<{ flavors: { id: string; name: string }[] }>(
      'GET',
      `${prefix}/compute/v2.1/flavors`,
    );
    const { images } = await this.send<{ images: { id: string }[] }>(
      'GET',
      `${prefix}/image/v2/images`,
    );
    const ids: string[] = [];
    for (let index = 1; index <= count; index++) {
      const { server } = await this.send<{ server: { id: string } }>(
        'POST',
        `${prefix}/compute/v2.1/servers`,
        {
          server: {
            name: count === 1 ? name : `${name}-${index}`,
            flavorRef: flavors.find((one) => one.name === flavor)!.id,
            imageRef: images[0]!.id,
            networks: 'none',
            ...fields,
          },
          ...(hints ? { 'os:scheduler_hints': hints } : {}),
        },
        'compute 2.90',
      );
      ids.push(server.id);
    }
    return ids;
  }
}

/** What a new server has besides its name. */
export interface NewServer {
  /** The prefix of its region, such as `/CentralRegion`. */
  readonly prefix?: string;
  readonly flavor?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly hints?: Readonly<Record<string, unknown>>;
}
