// Sends requests to an emulator that may be killed, restored or out of time at any moment.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Emulator } from '../support/processes.ts';

export type Json = Record<string, any>;

export interface Answer {
  /** 0 if no reply arrived. */
  readonly status: number;
  readonly body: Json;
}

export interface Person {
  readonly user: string;
  readonly password: string;
  readonly project: string;
}

export const admin: Person = { user: 'admin', password: 'secret', project: 'admin' };
export const demo: Person = { user: 'demo', password: 'secret', project: 'demo' };

/** The message of every injected fault, so that its replies are not mistaken for errors. */
export const faultMessage = 'Injected by the chaos run';

const newestVersions: Readonly<Record<string, readonly [string, string]>> = {
  compute: ['openstack-api-version', 'compute 2.90'],
  placement: ['openstack-api-version', 'placement 1.39'],
  volume: ['openstack-api-version', 'volume 3.70'],
  clustering: ['openstack-api-version', 'clustering 1.14'],
};

/**
 * How long a request may take before it counts as hanging, in milliseconds. A move of the clock by
 * an hour runs thousands of health checks, if nodes cannot be recovered.
 */
const patience = 600_000;

export class Client {
  private readonly tokens = new Map<string, string>();
  private readonly emulators: readonly Emulator[];
  private next = 0;
  /** Replies that no real cloud would give: a line each. */
  readonly problems: string[] = [];
  readonly counts = { requests: 0, failed: 0, unanswered: 0 };

  /** @param emulators the running processes; a restart replaces an element */
  constructor(emulators: readonly Emulator[]) {
    this.emulators = emulators;
  }

  /** Sends a request as a person, and signs in again if the token is no longer valid. */
  async send(person: Person, method: string, path: string, body?: Json): Promise<Answer> {
    const first = await this.sendOnce(person, method, path, body);
    if (first.status !== 401) return first;
    this.tokens.delete(person.user);
    return this.sendOnce(person, method, path, body);
  }

  /**
   * Sends a request as the administrator until the cloud serves it, which takes a while after a
   * move of the clock.
   * @throws Error if it is refused
   */
  async require(method: string, path: string, body?: Json): Promise<Json> {
    for (;;) {
      const answer = await this.send(admin, method, path, body);
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      if (![0, 401, 503].includes(answer.status))
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      await sleep(1000);
    }
  }

  /** Lists what a path returns under a key. @throws Error if the request is refused */
  async requireList(path: string, key: string): Promise<Json[]> {
    return (await this.require('GET', path))[key] as Json[];
  }

  /** Lists what a path returns under a key; nothing if the request fails. */
  async list(person: Person, path: string, key: string): Promise<Json[]> {
    const { body } = await this.send(person, 'GET', path);
    const found: unknown = body[key];
    return Array.isArray(found) ? (found as Json[]) : [];
  }

  private async sendOnce(
    person: Person,
    method: string,
    path: string,
    body?: Json,
  ): Promise<Answer> {
    const token = path.startsWith('/_emulator') ? undefined : await this.tokenOf(person);
    const [name, value] = newestVersions[path.split('/')[1]!] ?? [];
    return this.fetch(method, path, body, {
      ...(token === undefined ? {} : { 'x-auth-token': token }),
      ...(name === undefined ? {} : { [name]: value! }),
    });
  }

  private async tokenOf({ user, password, project }: Person): Promise<string | undefined> {
    const known = this.tokens.get(user);
    if (known !== undefined) return known;
    const domain = { id: 'default' };
    const identity = {
      methods: ['password'],
      password: { user: { name: user, domain, password } },
    };
    const body = { auth: { identity, scope: { project: { name: project, domain } } } };
    let token: string | undefined;
    await this.fetch('POST', '/identity/v3/auth/tokens', body, {}, (headers) => {
      token = headers.get('x-subject-token') ?? undefined;
    });
    if (token !== undefined) this.tokens.set(user, token);
    return token;
  }

  private async fetch(
    method: string,
    path: string,
    body: Json | undefined,
    headers: Record<string, string>,
    read?: (headers: Headers) => void,
  ): Promise<Answer> {
    const emulator = this.emulators[this.next++ % this.emulators.length]!;
    this.counts.requests += 1;
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${emulator.origin}${path}`, {
        method,
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        signal: AbortSignal.timeout(patience),
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      text = await response.text();
    } catch (error) {
      this.counts.unanswered += 1;
      if ((error as Error).name === 'TimeoutError')
        this.problems.push(`${method} ${path}: no reply within ${patience / 1000} s`);
      // The process has been killed, and is not yet up again.
      await sleep(250);
      return { status: 0, body: {} };
    }
    read?.(response.headers);
    if (response.status >= 400) this.counts.failed += 1;
    if (response.status === 500 && !isExpected(text)) {
      const id = response.headers.get('x-openstack-request-id')!;
      await sleep(1000); // the log is written a little later than the reply
      const log = emulator
        .output()
        .split('\n')
        .find((line) => line.includes(id) && line.includes('"err"'));
      // Neutron hides the message of an injected fault. An unexpected error is in the log.
      if (log === undefined && text.includes('HTTPInternalServerError'))
        return { status: response.status, body: {} };
      this.problems.push(
        `${method} ${path} ${JSON.stringify(body) ?? ''}: 500 ${text} ${log ?? ''}`,
      );
    }
    return { status: response.status, body: parse(text) };
  }
}

/** Blazar answers 500 if it has too few hosts; the other text is that of an injected fault. */
const isExpected = (text: string): boolean =>
  text.includes(faultMessage) || text.includes('Not enough ');

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}
