// A client of a running cloud, which reads what a world has made.

export type Fields = Record<string, any>; // eslint-disable-line

interface Account {
  readonly user: string;
  readonly password: string;
  readonly project: string;
}

/** Sends requests with the token of a user; that of admin by default. */
export class Admin {
  private readonly origin: string;
  private readonly token: string;
  private readonly user: string;

  private constructor(origin: string, token: string, user: string) {
    this.origin = origin;
    this.token = token;
    this.user = user;
  }

  /** @throws Error if the user cannot sign in */
  static async at(
    origin: string,
    { user, password, project }: Account = { user: 'admin', password: 'secret', project: 'admin' },
  ): Promise<Admin> {
    const domain = { id: 'default' };
    const identity = {
      methods: ['password'],
      password: { user: { name: user, domain, password } },
    };
    const scope = { project: { name: project, domain } };
    const reply = await fetch(`${origin}/identity/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ auth: { identity, scope } }),
    });
    if (!reply.ok) throw new Error(`${user} in ${project}: ${await reply.text()}`);
    return new Admin(origin, reply.headers.get('x-subject-token')!, user);
  }

  get(path: string, version?: string): Promise<Fields> {
    return this.send('GET', path, undefined, version);
  }

  /** @throws Error with the status and the body of an error */
  async send(method: string, path: string, body?: object, version?: string): Promise<Fields> {
    const reply = await fetch(`${this.origin}${path}`, {
      method,
      headers: {
        'x-auth-token': this.token,
        'content-type': 'application/json',
        ...(version === undefined ? {} : { 'openstack-api-version': version }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Fields);
  }

  async projectId(name: string): Promise<string> {
    const { projects } = await this.get(`/identity/v3/projects?name=${name}`);
    return projects[0].id as string;
  }

  async userId(): Promise<string> {
    const { users } = await this.get(`/identity/v3/users?name=${this.user}`);
    return users[0].id as string;
  }
}
