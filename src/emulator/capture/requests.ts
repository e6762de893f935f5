// Sends GET requests to a cloud. It limits their rate, repeats them after temporary failures, and
// gets a new token when the last one has expired.
import { pause, ticks } from '../../kernel/clock.ts';
import { NoReply, sendRequest, type IncomingReply } from '../../kernel/http-client.ts';
import { CaptureError, textOf, timeout, type Json } from './model.ts';
import { jsonOf } from './sign-in.ts';

/** How long to wait before each further attempt, in milliseconds. */
const delays = [500, 1000, 2000];

/** The replies of a cloud or a proxy that is overloaded or restarts. */
const temporary = new Set([429, 502, 503, 504]);

/** The statuses of replies; with 300, a service lists its versions. */
const answers = new Set([200, 300]);

/** The longest wait that a cloud can ask for by Retry-After, in milliseconds. */
const longestWait = 60_000;

export class Requests {
  private readonly newToken: () => Promise<string>;
  /** The pause from one request to the next, in milliseconds. */
  private readonly spacing: number;
  private token: Promise<string>;
  private nextAt = 0;

  /**
   * @param token a valid one
   * @param newToken gets another one
   * @param rate how many requests to send a second
   */
  constructor(token: string, newToken: () => Promise<string>, rate: number) {
    this.token = Promise.resolve(token);
    this.newToken = newToken;
    this.spacing = 1000 / rate;
  }

  /** @throws CaptureError unless the status is 200, or 300 */
  async read(url: string, version: string | undefined): Promise<Json> {
    const used = this.token;
    let reply = await this.answered(url, version);
    if (reply.status === 401) {
      // The first request that is refused gets the token for all.
      if (this.token === used) this.token = this.newToken();
      reply = await this.answered(url, version);
    }
    if (!answers.has(reply.status))
      throw new CaptureError(`GET ${url}: ${reply.status} ${textOf(reply.body)}`, reply.status);
    return jsonOf(reply.body);
  }

  private async answered(url: string, version: string | undefined): Promise<IncomingReply> {
    for (const delay of delays) {
      const reply = await this.send(url, version).catch((error: unknown) => {
        if (error instanceof NoReply) return undefined;
        throw error;
      });
      if (reply && !temporary.has(reply.status)) return reply;
      const asked = Number(reply?.headers.get('retry-after') ?? NaN) * 1000;
      await pause(Number.isNaN(asked) ? delay : Math.min(asked, longestWait));
    }
    return this.send(url, version);
  }

  private async send(url: string, version: string | undefined): Promise<IncomingReply> {
    const now = ticks();
    const at = Math.max(now, this.nextAt);
    this.nextAt = at + this.spacing;
    if (at > now) await pause(at - now);
    const headers = {
      accept: 'application/json',
      'x-auth-token': await this.token,
      ...(version === undefined ? {} : { 'openstack-api-version': version }),
    };
    return sendRequest(url, { method: 'GET', headers, timeout });
  }
}
