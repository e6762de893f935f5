// Runs a scenario: sends its requests sequentially, and records the replies.
import { setTimeout as pause } from 'node:timers/promises';
import { tokenOf } from '../../support/tokens.ts';
import { plain, type Seen } from './compare.ts';

/** A list of steps. Requests use version 1.14 and the demo user by default. */
export interface Scenario {
  readonly name: string;
  readonly steps: readonly Step[];
}

interface RequestStep {
  /** `POST /clusters/${cluster}/actions {resize: ...}`; the body is optional. */
  readonly ask: string;
  readonly body?: unknown;
  readonly version?: string;
  readonly as?: 'demo' | 'admin';
  /** Saves values of the reply: name -> path. */
  readonly save?: Readonly<Record<string, string>>;
  /** Whether to continue without waiting for the action. */
  readonly goesOn?: boolean;
  /** Seconds to wait before the request. */
  readonly after?: number;
  /** Whether to send it without a token, to a complete URL that was saved. */
  readonly hook?: boolean;
}

/**
 * Repeats a GET until it returns a value: `{ until: /clusters/${c}, at: cluster.status, is:
 * RESIZING }`. Its replies are not recorded.
 */
interface Until {
  readonly until: string;
  readonly at: string;
  /** The accepted values, separated by `|`. */
  readonly is: string;
}

/**
 * A string is a request. `members` records the nodes of a cluster, and names them `<name>1`, ...
 * `zones` records the zones of its servers.
 */
export type Step =
  string | RequestStep | Until | { readonly members: string } | { readonly zones: string };

export interface World {
  /** The address of Clustering. */
  readonly origin: string;
  /** The address of its Keystone and Nova. */
  readonly cloud: string;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

class Run {
  readonly names = new Map<string, string>();
  readonly seen: Seen[] = [];
  /** The number of the step. */
  place = 0;
  private readonly tokens: Record<string, string> = {};
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  fill(text: string): string {
    return text.replaceAll(
      /\$\{(\w+)\}/g,
      (_, name: string) => this.names.get(name) ?? `\${${name}}`,
    );
  }

  async request(
    method: string,
    url: string,
    { as = 'demo', version = '1.14', body, hook }: Partial<RequestStep> = {},
  ): Promise<Reply> {
    const token = (this.tokens[as] ??= await tokenOf(this.world.cloud, as));
    const headers: Record<string, string> = hook
      ? {}
      : { 'x-auth-token': token, 'openstack-api-version': `clustering ${version}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const reply = await fetch(url.startsWith('http') ? url : this.world.origin + url, {
      method,
      headers,
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    let parsed: unknown = text;
    try {
      parsed = JSON.parse(text);
    } catch {
      // The body is not JSON.
    }
    return { status: reply.status, headers: reply.headers, body: parsed };
  }

  see(step: string, what: unknown): void {
    this.seen.push({ step: `${this.place} ${step}`, what: plain(what, this.names) });
  }

  async ask(step: RequestStep): Promise<void> {
    if (step.after) await pause(step.after * 1000);
    const [, method = '', path = '', inline] = /^(\S+) (\S+)(?: (.*))?$/s.exec(step.ask)!;
    const given = step.body ?? inline;
    const text =
      given === undefined
        ? undefined
        : this.fill(typeof given === 'string' ? given : JSON.stringify(given));
    const target = this.fill(path);
    const url = target.startsWith('http')
      ? target
      : path.startsWith('/v1') || path === '/'
        ? target
        : `/v1${target}`;
    const answer = await this.request(method, url, { ...step, body: text });
    for (const [name, place] of Object.entries(step.save ?? {}))
      this.names.set(name, String(at(answer.body, place)));
    const { status, headers, body } = answer;
    this.see(step.ask, {
      status,
      version: headers.get('openstack-api-version'),
      vary: headers.get('vary'),
      type: headers.get('content-type')?.split(';')[0],
      location: headers.has('location'),
      body,
    });
    const action = headers.get('location')?.split('/actions/')[1];
    if (status === 202 && action !== undefined && !step.goesOn)
      this.see(`${step.ask} / action`, await this.ended(action));
  }

  /**
   * Waits until the action has ended. If a child has failed, its final status reason is set a few
   * seconds later.
   */
  private async ended(id: string): Promise<unknown> {
    for (const end = Date.now() + 240_000; Date.now() < end; await pause(400)) {
      const { body } = await this.request('GET', `/v1/actions/${id}`);
      const { action } = body as { action?: { status: string; status_reason: string } };
      const isOver = ['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(action?.status ?? '');
      if (isOver && action?.status_reason !== 'Action execution failed')
        return (await pause(500), body);
    }
    return 'did not end';
  }

  async until({ until, at: place, is }: Until): Promise<void> {
    for (const end = Date.now() + 240_000; Date.now() < end; await pause(200)) {
      const { body } = await this.request('GET', `/v1${this.fill(until)}`);
      if (is.split('|').includes(String(at(body, place)))) return;
    }
    throw new Error(`${until} did not reach ${place} ${is}`);
  }

  async members(name: string): Promise<void> {
    const { body } = await this.request(
      'GET',
      `/v1/nodes?cluster_id=${this.names.get(name)}&sort=index`,
    );
    const { nodes } = body as { nodes: { id: string; physical_id: string | null }[] };
    nodes.forEach(({ id }, place) => this.names.set(`${name}${place + 1}`, id));
    this.see(`members of ${name}`, body);
  }

  /** Records the number of the cluster's servers in each zone, according to Nova. */
  async zones(name: string): Promise<void> {
    const { body } = await this.request(
      'GET',
      `/v1/nodes?cluster_id=${this.names.get(name)}&sort=index`,
    );
    const found: Record<string, number> = {};
    for (const { physical_id: server } of (body as { nodes: { physical_id: string | null }[] })
      .nodes) {
      const shown = await this.request('GET', `${this.world.cloud}/compute/v2.1/servers/${server}`);
      const zone = String(
        (shown.body as { server?: Record<string, unknown> }).server?.[
          'OS-EXT-AZ:availability_zone'
        ],
      );
      found[zone] = (found[zone] ?? 0) + 1;
    }
    this.see(`zones of ${name}`, found);
  }
}

const at = (body: unknown, place: string): unknown =>
  place
    .split('.')
    .reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], body);

/** Runs a scenario. @returns the recorded replies, step by step */
export async function runScenario({ steps }: Scenario, world: World): Promise<Seen[]> {
  const run = new Run(world);
  for (const step of steps) {
    run.place++;
    if (typeof step === 'string') await run.ask({ ask: step });
    else if ('until' in step) await run.until(step);
    else if ('members' in step) await run.members(step.members);
    else if ('zones' in step) await run.zones(step.zones);
    else await run.ask(step);
  }
  return run.seen;
}
