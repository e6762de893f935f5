// One side of the comparison: a cloud, and the address of its Reservation, either the cloud's own
// or the real Blazar.

export interface Asked {
  readonly method: string;
  /** The path below the service's root: `/servers`. */
  readonly path: string;
  readonly body?: unknown;
  readonly as?: string;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export type Service = 'identity' | 'compute' | 'placement' | 'network' | 'image' | 'reservation';

const microversions: Readonly<Record<string, string>> = {
  compute: 'compute 2.37',
  placement: 'placement 1.29',
};

export class Side {
  readonly title: string;
  private readonly origin: string;
  private readonly addresses: Readonly<Record<Service, string>>;
  private readonly tokens = new Map<string, string>();

  constructor(title: string, origin: string, reservation: string) {
    this.title = title;
    this.origin = origin;
    this.addresses = {
      identity: `${origin}/identity/v3`,
      compute: `${origin}/compute/v2.1`,
      placement: `${origin}/placement`,
      network: `${origin}/network/v2.0`,
      image: `${origin}/image/v2`,
      reservation,
    };
  }

  async ask(service: Service, { method, path, body, as = 'admin' }: Asked): Promise<Reply> {
    const version = microversions[service];
    return call(method, this.addresses[service] + path, body, {
      'x-auth-token': await this.token(as),
      ...(version === undefined ? {} : { 'openstack-api-version': version }),
    });
  }

  /** Sends a request that must succeed. @returns the body of the reply @throws Error if it fails */
  async must(service: Service, method: string, path: string, body?: unknown): Promise<any> {
    const answer = await this.ask(service, { method, path, body });
    if (answer.status >= 400)
      throw new Error(
        `${this.title}: ${method} ${service}${path} -> ${answer.status} ` +
          JSON.stringify(answer.body),
      );
    return answer.body;
  }

  async reset(): Promise<void> {
    await call('POST', `${this.origin}/_emulator/reset`);
  }

  /** Sets the cloud's clock and freezes it. Tokens may have expired then. */
  async setClock(now: string): Promise<void> {
    const { status, body } = await call('PUT', `${this.origin}/_emulator/clock`, {
      now: `${now.replace(' ', 'T')}Z`,
      frozen: true,
    });
    if (status !== 200) throw new Error(`The clock: ${status} ${JSON.stringify(body)}`);
    this.tokens.clear();
  }

  private async token(as: string): Promise<string> {
    const known = this.tokens.get(as);
    if (known !== undefined) return known;
    const domain = { id: 'default' };
    const [user, project = user] = as.split(':');
    const auth = {
      identity: {
        methods: ['password'],
        password: { user: { name: user, password: 'secret', domain } },
      },
      scope: { project: { name: project, domain } },
    };
    const reply = await fetch(`${this.addresses.identity}/auth/tokens`, json('POST', { auth }));
    const token = reply.headers.get('x-subject-token');
    if (token === null)
      throw new Error(`${this.title}: ${as} cannot sign in: ${await reply.text()}`);
    this.tokens.set(as, token);
    return token;
  }
}

const json = (
  method: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): RequestInit => ({
  method,
  headers: {
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

export async function call(
  method: string,
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const reply = await fetch(url, json(method, body, headers));
  const text = await reply.text();
  try {
    return { status: reply.status, body: text === '' ? null : JSON.parse(text) };
  } catch {
    return { status: reply.status, body: text };
  }
}
