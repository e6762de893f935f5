// A client that claims and releases, and remembers what it was granted.
import type { SeededRandom } from '../support/seeded-random.ts';

/** What the writers do, and what must hold between their rounds. */
export interface Scenario {
  readonly name: string;
  prepare(writer: Writer): Promise<void>;
  /** One claim or release. */
  step(writer: Writer): Promise<void>;
  /** Compares the cloud with what the writers hold, while no request is under way. */
  check(writers: readonly Writer[]): Promise<string[]>;
}

/** A claim that was granted: where, and how much. */
export interface Held {
  readonly provider: string;
  readonly amount: number;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

const versions: Readonly<Record<string, string>> = {
  placement: 'placement 1.39',
  compute: 'compute 2.90',
};

/** What a 503 and a 409 say after the last attempt of a transaction. */
const busyTexts = ['The database is busy', 'placement.concurrent_update'];

export class Writer {
  readonly held = new Map<string, Held>();
  readonly random: SeededRandom;
  granted = 0;
  refused = 0;
  /** How many replies said that the database was busy. */
  busy = 0;
  private problems: string[] = [];
  private readonly origin: string;

  /** @param origin the process that it always uses, so that it sees its own writes on Galera */
  constructor(origin: string, random: SeededRandom) {
    this.origin = origin;
    this.random = random;
  }

  /**
   * Sends a request, and again while the reply asks for that: nothing has been written then. Only
   * transactions on several nodes of Galera fail so often.
   */
  async ask(method: string, path: string, body?: object): Promise<Answer> {
    for (;;) {
      const answer = await this.askOnce(method, path, body);
      if (!busyTexts.some((text) => answer.text.includes(text))) return answer;
      this.busy++;
    }
  }

  private async askOnce(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(this.origin + path, {
      method,
      headers: {
        'x-auth-token': 'admin',
        'openstack-api-version': versions[path.split('/')[1]!]!,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, text: await response.text() };
  }

  /** @returns the body of the reply; anything but success is a problem */
  async must(method: string, path: string, body?: object): Promise<any> {
    const answer = await this.ask(method, path, body);
    if (answer.status >= 300) this.report(`${method} ${path}`, answer);
    return answer.text ? JSON.parse(answer.text) : {};
  }

  report(request: string, { status, text }: Answer): void {
    this.problems.push(`${request}: ${status} ${text.slice(0, 300)}`);
  }

  /** @returns the problems since the last call */
  takeProblems(): readonly string[] {
    const taken = this.problems;
    this.problems = [];
    return taken;
  }

  /** One of the claims that it holds. */
  anyHeld(): string | undefined {
    return this.held.size ? this.random.pick([...this.held.keys()]) : undefined;
  }
}
