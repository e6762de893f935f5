// Sends requests to the API of an emulator, by the names of its operations.
import { operations, type FailedAssertion, type Operations } from './contract.ts';
import { CumuletError, RequestAssertionError } from './errors.ts';
import { trustingFetch } from '../kernel/tls/fetch.ts';

/** What an operation takes: its path, query and body. */
export type Input<Name extends keyof Operations> = Omit<Operations[Name], 'reply'>;

/** What an operation returns. */
export type Reply<Name extends keyof Operations> = Operations[Name]['reply'];

/** The parts of any request. */
interface Parts {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The reason of a failed connection. */
interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** The way to the API of one emulator. */
export class Connection {
  /** The address, without a slash at its end. */
  readonly url: string;
  readonly #controlToken: string | undefined;
  readonly #cacert: string | undefined;
  #closed = false;

  constructor(url: string, controlToken?: string, cacert?: string) {
    this.url = url.replace(/\/+$/, '');
    this.#controlToken = controlToken;
    this.#cacert = cacert;
  }

  /** Lets all further calls fail. */
  close(): void {
    this.#closed = true;
  }

  /** Calls an operation. @throws CumuletError, RequestAssertionError */
  async call<Name extends keyof Operations>(
    name: Name,
    ...[input]: Record<string, never> extends Input<Name> ? [Input<Name>?] : [Input<Name>]
  ): Promise<Reply<Name>> {
    const response = await this.#send(name, (input ?? {}) as Parts);
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const reply: unknown = isJson ? await response.json() : (await response.text()) || undefined;
    if (response.ok || (name === 'ready:show' && response.status === 503))
      return reply as Reply<Name>;
    throw this.#errorOf(response, reply);
  }

  async #send(name: keyof Operations, { path = {}, query = {}, body }: Parts): Promise<Response> {
    if (this.#closed)
      throw new CumuletError(
        `The cloud at ${this.url} has been stopped. Start another one with startCloud().`,
      );
    const [method, template] = operations[name];
    const route = template.replaceAll(/\{(\w+)\}/g, (_, part: string) =>
      encodeURIComponent(path[part]!),
    );
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(
      given.map(([key, value]): [string, string] => [key, String(value)]),
    ).toString();
    const isText = typeof body === 'string';
    try {
      const headers = {
        accept: '*/*',
        ...(body === undefined
          ? {}
          : { 'content-type': isText ? 'application/x-ndjson' : 'application/json' }),
        ...(this.#controlToken === undefined ? {} : { 'x-control-token': this.#controlToken }),
      };
      return await trustingFetch(
        `${this.url}/_emulator${route}${search && `?${search}`}`,
        {
          method,
          headers,
          ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
        },
        this.#cacert,
      );
    } catch (error) {
      const { code = '', message = '' } = ((error as Error).cause ?? {}) as Partial<Refusal>;
      if (/CERT|SIGNATURE|ERR_TLS/.test(code))
        throw new CumuletError(
          `The certificate of ${this.url} is not trusted (${message}). Name the file with its ` +
            'authority in OS_CACERT, or as cacert of connectCloud().',
        );
      if (!(error instanceof TypeError)) throw new CumuletError((error as Error).message);
      throw new CumuletError(
        `No emulator answers at ${this.url}. Start one with startCloud(), or with 'npx cumulet' ` +
          'and connectCloud(url).',
      );
    }
  }

  #errorOf({ status, statusText }: Response, reply: unknown): CumuletError {
    const { error, near_misses: nearMisses } = (reply ?? {}) as Partial<FailedAssertion>;
    if (nearMisses) return new RequestAssertionError(reply as FailedAssertion);
    return new CumuletError(
      error?.message ??
        `The server at ${this.url} is not a Cumulet emulator: it returns ${status} ${statusText}. ` +
          'Give connectCloud() the address of an emulator.',
      status,
    );
  }
}
