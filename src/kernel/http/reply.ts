// A request on its way through the house, and the reply it gets.
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../auth/caller.ts';
import type { Micros } from '../clock.ts';
import type { Db } from '../db/open.ts';
import type { Operation } from './contract.ts';
import type { Version } from '../microversion.ts';
import type { Query } from '../query.ts';
import type { Route, Service } from './service.ts';
import type { Cloud, Region } from '../model.ts';

/** What is sent back. A body that is neither a string nor bytes is written as JSON; a string is JSON already, unless a content-type says otherwise. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** One request. Steps of its life fill it in, in the order of the fields. */
export interface Call<V extends string = string> {
  readonly id: string;
  readonly cloud: Cloud;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Loopback, or not: where the connection comes from. */
  readonly remote: string;
  /** `http://host:port` as the client knows it. */
  readonly origin: string;
  /** The time of the request: read once, so that all it writes bears the same. */
  now: Micros;
  region: Region;
  service: Service<V>;
  /** What stands before the service's own paths, such as `/placement` or `/RegionTwo/placement`; empty on a port of its own. */
  prefix: string;
  /** The path below the prefix, as it came (not decoded). */
  path: string;
  query: Query;
  /** The body as it came; undefined where none was sent. */
  raw: Buffer | undefined;
  caller: Caller | undefined;
  /** Undefined until it has been negotiated: a fault before that is told without a version. */
  at: Version<V>;
  route: Route<V>;
  params: Readonly<Record<string, string>>;
  operation: Operation | undefined;
  /** The body, read as JSON and allowed by the contract. */
  body: unknown;
  /** The service's database: a transaction, but for reads that are a single query. */
  db: Db;
  /** Which try at the transaction this is, from 1 on. */
  attempt: number;
}

/** A step of a request's life: goes on, or ends it with a reply or a thrown fault. */
export type Step = (call: Call) => Reply | void | Promise<Reply | void>;

export const ok = (body: unknown, headers?: Reply['headers']): Reply => reply(200, body, headers);
export const created = (body?: unknown, headers?: Reply['headers']): Reply => reply(201, body, headers);
export const accepted = (body?: unknown, headers?: Reply['headers']): Reply => reply(202, body, headers);
export const noContent = (headers?: Reply['headers']): Reply => reply(204, undefined, headers);

export function reply(status: number, body?: unknown, headers?: Reply['headers']): Reply {
  return { status, ...(body === undefined ? {} : { body }), ...(headers ? { headers } : {}) };
}
