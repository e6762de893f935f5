// Sends invalid input of every kind. The reply must be an error in the service's own format, never
// a 5xx, and the request must write nothing.
import { connect, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { isObject, type JsonObject } from '../../../src/kernel/json.ts';
import type { Operation } from '../../../src/kernel/contract/contract.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { rawClient, type Client, type Raw } from '../../support/raw.ts';
import { rowCounter } from '../../support/rows.ts';
import {
  mutationsOf,
  storedValues,
  wrongBodies,
  wrongMedia,
  wrongNames,
  wrongQueries,
  wrongQueryValues,
  wrongValues,
} from './mutations.ts';
import { fill, sampled, type Sample, type Samples } from '../samples/index.ts';
import type { Route, Service } from '../../../src/kernel/model.ts';

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** Whether an error reply has the format of the service. */
const hasErrorFormat: Readonly<Record<string, (reply: Raw) => boolean>> = {
  placement: ({ status, headers, body, text }) => {
    if (status === 401)
      return 'error' in fieldsOf(body) || fieldsOf(body)['code'] === '401 Unauthorized';
    // For clients that do not accept JSON.
    if (headers['content-type']?.startsWith('text/')) return text.includes(`${status} `);
    const [error] = (fieldsOf(body)['errors'] ?? []) as Fields[];
    return (
      error?.['status'] === status &&
      typeof error['detail'] === 'string' &&
      typeof error['request_id'] === 'string'
    );
  },
  identity: ({ status, body, text }) => {
    // OAuth 2.0 has a format of its own (RFC 6749).
    if (typeof fieldsOf(body)['error_description'] === 'string') return true;
    if (status === 405) return typeof fieldsOf(body)['message'] === 'string';
    if (status === 404 && text.startsWith('<!doctype html>')) return true;
    const error = fieldsOf(fieldsOf(body)['error']);
    return (
      error['code'] === status &&
      typeof error['message'] === 'string' &&
      typeof error['title'] === 'string'
    );
  },
  image: ({ status, headers, body, text }) => {
    if ((headers['content-type'] ?? '').startsWith('text/')) return text.includes(`${status} `);
    const { code, message, title } = fieldsOf(body);
    return (
      String(code).startsWith(`${status} `) &&
      typeof message === 'string' &&
      typeof title === 'string'
    );
  },
  compute: ({ status, body, text }) => {
    // Pages of consoles are for people.
    if (status === 403 && text.startsWith('<!doctype html>')) return true;
    // A path without a version returns the list of versions.
    if (status === 401) return typeof fieldsOf(fieldsOf(body)['error'])['message'] === 'string';
    const [error] = Object.values(fieldsOf(body)).map(fieldsOf);
    return (
      error?.['code'] === status && typeof error['message'] === 'string' && error['message'] !== ''
    );
  },
  network: ({ status, body }) => {
    if (status === 401) return 'error' in fieldsOf(body);
    const error = fieldsOf(fieldsOf(body)['NeutronError']);
    return (
      typeof error['type'] === 'string' &&
      typeof error['message'] === 'string' &&
      error['detail'] === ''
    );
  },
  volume: ({ status, body }) => {
    const [fault] = Object.values(fieldsOf(body)).map(fieldsOf);
    return (
      fault?.['code'] === status && typeof fault['message'] === 'string' && fault['message'] !== ''
    );
  },
  reservation: ({ status, body }) => {
    if (status === 401) return 'error' in fieldsOf(body);
    const { error, error_code: code = error, error_message: message } = fieldsOf(body);
    return code === status && typeof message === 'string' && message !== '';
  },
  clustering: ({ status, body }) => {
    const { code, message, error, explanation } = fieldsOf(body);
    if (status === 401) return typeof fieldsOf(error)['message'] === 'string';
    // WebOb renders the errors for unknown versions and paths.
    if (String(code).startsWith(`${status} `)) return typeof message === 'string';
    return (
      code === status &&
      typeof explanation === 'string' &&
      typeof fieldsOf(error)['message'] === 'string'
    );
  },
  tricircle: ({ status, headers, body, text }) => {
    const { error, code, title, description } = fieldsOf(body);
    if (status === 401 && error) return typeof fieldsOf(error)['message'] === 'string';
    // WebOb's errors for clients that do not accept JSON, and plain-text errors.
    if (headers['content-type']?.startsWith('text/')) return text !== '';
    if (code === status) return typeof title === 'string' && description !== undefined;
    const [typed] = Object.values(fieldsOf(body)).map(fieldsOf);
    return (
      typed?.['code'] === status && typeof typed['message'] === 'string' && typed['message'] !== ''
    );
  },
  emulator: ({ status, body }) => {
    const error = fieldsOf(fieldsOf(body)['error']);
    return (
      error['code'] === status && typeof error['message'] === 'string' && error['message'] !== ''
    );
  },
};

/**
 * Whether upstream returns a 500 for this error too. Senlin does so for a spec that violates its
 * schema, a server that cannot be adopted and an exceeded cluster limit; Tricircle for errors that
 * only its database reports.
 */
const isUpstream500 = ({ status, body, text }: Raw): boolean =>
  status === 500 &&
  (['ESchema', 'ProfileOperationFailed', 'OverQuota'].includes(
    String(fieldsOf(fieldsOf(body)['error'])['type']),
  ) ||
    /^Failed to delete pod$|"Failed to (create|update) resource routing"/.test(text));

/** Whether the suite that runs sends only a sample of the invalid values: see test/suites.ts. */
const isSampled = process.env['CUMULET_TEST_SAMPLED'] === 'yes';

/** Declares the suite of a service. */
export function fuzzService(name: string): void {
  const { config, prepare } = sampled.find(({ service }) => service === name)!;
  onEachDatabase(`fuzzing ${name}`, config, (world) => {
    const serviceOf = (): Service =>
      world.cloud.services.find(({ definition }) => definition.name === name)!;
    let client: Client;
    let token: string | null;
    let samples: Samples;
    let count: () => Promise<Record<string, number>>;
    let rows: string;
    let wrong: string[];
    let operationNumber: number;

    beforeEach(async () => {
      client = rawClient(world.server);
      ({ token, samples } = await prepare(client));
      count = await rowCounter(world.cloud, serviceOf());
      wrong = [];
      operationNumber = 0;
    });

    afterEach(() => {
      client.close();
    });

    const expectNoProblems = (): void =>
      void expect(
        wrong,
        `${wrong.length} wrong replies:\n${wrong.slice(0, 30).join('\n')}\n`,
      ).to.have.length(0);

    /**
     * Selects a part of the values, another one for the next operation: a quarter on MySQL, because
     * most requests never reach the database, and a sixteenth in `npm run test:all`, to save time.
     */
    const some = <T>(values: readonly T[]): readonly T[] => {
      const parts = isSampled ? 16 : world.kind === 'mysql' ? 4 : 1;
      return values.filter((_, index) => (index + operationNumber) % parts === 0);
    };

    const rememberRows = async (): Promise<void> => void (rows = JSON.stringify(await count()));

    /** Sends a request, and records what is wrong with the reply. */
    async function attempt(
      what: string,
      method: string,
      path: string,
      headers: Readonly<Record<string, string>>,
      body?: string | Buffer,
    ): Promise<Raw | undefined> {
      const report = (problem: string): void =>
        void wrong.push(`${what.slice(0, 150)}: ${problem}`);
      const all = { ...(token === null ? {} : { 'x-auth-token': token }), ...headers };
      const reply = await client
        .send(method, path, all, body)
        .catch((error: Error) => report(`no reply: ${error.message}`));
      if (!reply) return undefined;
      // Accept 501 as a refusal, and also the 500 that Blazar returns if there are too few hosts.
      const isRefusal =
        reply.status === 501 ||
        (name === 'reservation' && reply.text.includes('"Not enough hosts available"'));
      if (reply.status >= 500 && !isRefusal && !isUpstream500(reply))
        report(`${reply.status} ${reply.text.slice(0, 200)}`);
      if (!String(reply.headers['x-openstack-request-id']).startsWith('req-'))
        report('no request id');
      if (reply.status < 400) {
        await rememberRows();
        return reply;
      }
      if (method !== 'HEAD' && !hasErrorFormat[name]!(reply))
        report(`not in the service's error format: ${reply.status} ${reply.text.slice(0, 200)}`);
      if (JSON.stringify(await count()) !== rows) {
        report(`returned ${reply.status} but has written rows`);
        await rememberRows();
      }
      return reply;
    }

    interface Called {
      readonly route: Route;
      readonly operation: Operation;
      readonly url: string;
      readonly sample: Sample;
      readonly headers: Readonly<Record<string, string>>;
      readonly json: string | undefined;
    }

    /**
     * Yields each operation with a distinct handler, at the newest version that has it, with a
     * sample request.
     */
    async function* operations(): AsyncGenerator<Called> {
      const { definition, contract } = serviceOf();
      // Routes that share a handler (grants, the HEAD of a GET) also share its validation.
      const first = (route: Route): boolean =>
        definition.routes.find((one) => one.handler === route.handler) === route;
      for (const route of definition.routes.filter(first)) {
        const at = definition.versions.find(route.span?.[1] ?? definition.versions.max.name)!;
        const operation = contract.operation(route.method, route.path, at);
        const sample = await samples[operation.id]!(at.name);
        operationNumber++;
        await rememberRows();
        const version =
          definition.versions.list.length > 1
            ? { 'openstack-api-version': `${name} ${at.name}` }
            : {};
        const json = sample.body === undefined ? undefined : JSON.stringify(sample.body);
        const headers = {
          ...version,
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...sample.headers,
        };
        yield {
          route,
          operation,
          sample,
          url: definition.prefix + fill(route.path, sample.params),
          headers,
          json,
        };
      }
    }

    it('refuses invalid bodies without a server error', async () => {
      for await (const { route, operation, url, sample, headers } of operations()) {
        if (!operation.takesBody || sample.body === undefined) continue;
        const bodies =
          world.kind === 'mysql'
            ? [...mutationsOf(sample.body, storedValues)]
            : some([...wrongBodies, ...mutationsOf(sample.body, wrongValues)]);
        for (const body of bodies)
          await attempt(
            `${operation.id} with ${body.toString().slice(0, 100)}`,
            route.method,
            url,
            headers,
            body,
          );
      }
      expectNoProblems();
    });

    it('refuses wrong content types and encodings without a server error', async () => {
      for await (const { route, operation, url, headers, json } of operations()) {
        const others = Object.fromEntries(
          Object.entries(headers).filter(([header]) => header !== 'content-type'),
        );
        if (json === undefined) {
          // A body for an operation that takes none.
          if (route.method !== 'DELETE')
            await attempt(
              `${operation.id} with a body`,
              route.method,
              url,
              { ...others, 'content-type': 'application/json' },
              '{"a":',
            );
          continue;
        }
        for (const { what, headers: sent, body } of some(wrongMedia))
          await attempt(
            `${operation.id} as ${what}`,
            route.method,
            url,
            { ...others, ...sent },
            body(json),
          );
      }
      expectNoProblems();
    });

    it('answers invalid queries without a server error', async () => {
      const { contract } = serviceOf();
      for await (const { route, operation, url, headers, json } of operations()) {
        const reads = route.method === 'GET';
        const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
        const names = reads ? queryNames(contract.load(), path) : [];
        const known = names.flatMap((one) => [
          ...some(wrongQueryValues).map((value) => `${one}=${value}`),
          `${one}=a&${one}=b`,
          one,
        ]);
        const queries = [...(reads ? some(wrongQueries) : wrongQueries.slice(0, 4)), ...known];
        for (const query of queries)
          await attempt(
            `${operation.id} ?${query}`,
            route.method,
            `${url}?${query}`,
            headers,
            json,
          );
      }
      expectNoProblems();
    });

    it('answers queries of maximum length without a server error', async () => {
      if (world.kind === 'mysql') return; // only SQLite has narrow limits
      const { contract } = serviceOf();
      for await (const { route, operation, url, headers } of operations()) {
        if (route.method !== 'GET') continue;
        const names = queryNames(contract.load(), route.path.replaceAll(/:(\w+)/g, '{$1}'));
        const queries = [
          filled((index) => `x${index}=a&`),
          ...some(names).flatMap((one) => [
            filled((index) => `${one}=a${index}&`),
            `${one}=${filled((index) => `a${index},`)}`,
          ]),
        ];
        for (const query of queries)
          await attempt(`${operation.id} ?${query}`, 'GET', `${url}?${query}`, headers);
      }
      expectNoProblems();
    });

    it('answers invalid paths without a server error', async () => {
      const { definition } = serviceOf();
      for await (const { route, operation, url, sample, headers, json } of operations()) {
        for (const [parameter] of route.path.matchAll(/:\w+/g)) {
          for (const wrongName of some(wrongNames)) {
            const path =
              definition.prefix +
              fill(route.path.replace(parameter, '%WRONG%'), sample.params).replace(
                '%WRONG%',
                wrongName,
              );
            await attempt(`${operation.id} ${path}`, route.method, path, headers, json);
          }
        }
        if (route.method !== 'GET') continue;
        for (const path of [
          `${url}/`,
          `${url}//`,
          `${url}/x/y/z`,
          url.replace(definition.prefix, `${definition.prefix}/`),
          `${url}%2F`,
          `${url}%00`,
          `${url};a=b`,
        ]) {
          await attempt(path, 'GET', path, headers);
        }
      }
      expectNoProblems();
    });

    it('refuses methods that a path does not have', async () => {
      const { definition } = serviceOf();
      for (const path of new Set(definition.routes.map((route) => route.path))) {
        const url = definition.prefix + path.replaceAll(/:\w+/g, 'x');
        const known = definition.routes
          .filter((route) => route.path === path)
          .map(({ method }) => method);
        await rememberRows();
        for (const method of [
          'GET',
          'HEAD',
          'POST',
          'PUT',
          'PATCH',
          'DELETE',
          'OPTIONS',
          'TRACE',
          'PROPFIND',
          'M-SEARCH',
          'PURGE',
        ]) {
          if (known.includes(method)) continue;
          const reply = await attempt(`${method} ${path}`, method, url, {});
          // Flask answers OPTIONS itself. Compute returns 410 for operations that it has removed.
          const refusals = name === 'compute' ? [404, 410] : [404, 405];
          if (reply && method !== 'OPTIONS')
            expect(reply.status, `${method} ${path}`).to.be.oneOf(refusals);
        }
      }
      expectNoProblems();
    });

    it('answers invalid headers without a server error', async () => {
      const { definition } = serviceOf();
      const path =
        definition.prefix +
        definition.routes.find(
          (route) => route.method === 'GET' && route.path.length > 1 && !route.path.includes(':'),
        )!.path;
      await rememberRows();
      const wrongHeaders: Record<string, string>[] = [
        ...[
          '',
          ' ',
          'x',
          'é',
          'x'.repeat(5000),
          'a.b.c',
          'eyJhbGciOiJub25lIn0.e30.',
          '\xff',
          'null',
          '%00',
        ].map((value) => ({
          'x-auth-token': value,
        })),
        ...[
          '',
          'x',
          name,
          `${name} x`,
          `${name} 99.99`,
          `${name} -1`,
          'latest',
          'é',
          ','.repeat(3000),
        ].map((value) => ({
          'openstack-api-version': value,
        })),
        ...['', 'x', 'text/html', '*/*;q=x', ','].map((value) => ({ accept: value })),
        ...['', 'x:y:z', '[', 'é', '127.0.0.1:99999'].map((value) => ({ host: value })),
        { 'x-forwarded-proto': 'é\t' },
        { origin: 'é' },
        { cookie: 'x'.repeat(5000) },
        { 'if-match': '*', 'if-none-match': '*', range: 'bytes=5-', expect: '100-continue' },
      ];
      const base =
        definition.versions.list.length > 1 ? { 'openstack-api-version': `${name} latest` } : {};
      for (const headers of wrongHeaders)
        await attempt(JSON.stringify(headers), 'GET', path, { ...base, ...headers });
      expectNoProblems();
    });

    it('refuses bodies of 10 MB without a server error', async () => {
      if (world.kind === 'mysql') return; // these requests never reach the database
      const size = 10_000_000;
      const bodies: readonly (string | Buffer)[] = [
        `"${'x'.repeat(size)}"`,
        `{"name":"${'é'.repeat(size / 2)}"}`,
        '['.repeat(size),
        `[${'1,'.repeat(size / 2)}1]`,
        Buffer.alloc(size, 0xff),
        `{${Array.from({ length: size / 16 }, (_, n) => `"a${n}":"12345"`).join()}}`,
      ];
      let called = 0;
      for await (const { route, operation, url, headers, json } of operations()) {
        if (json === undefined || called++) continue;
        for (const body of bodies)
          await attempt(`${operation.id} with 10 MB`, route.method, url, headers, body);
        const bomb = gzipSync(Buffer.alloc(100_000_000, 0x20));
        await attempt(
          `${operation.id} with 100 MB in 100 KB`,
          route.method,
          url,
          { ...headers, 'content-encoding': 'gzip' },
          bomb,
        );
        await attempt(
          `${operation.id} with 10 MB and no token`,
          route.method,
          url,
          { ...headers, 'x-auth-token': '' },
          bodies[0],
        );
      }
      expectNoProblems();
    });

    it('returns 4xx in the service’s error format for malformed HTTP', async () => {
      const { definition } = serviceOf();
      const post = `POST ${definition.prefix}/x HTTP/1.1\r\nhost: localhost\r\n`;
      const texts = [
        `GET ${definition.prefix}/\x00 HTTP/1.1\r\nhost: localhost\r\n\r\n`,
        `GET ${definition.prefix}/a b c HTTP/1.1\r\nhost: localhost\r\n\r\n`,
        `GET ${definition.prefix}/ HTTP/9.9\r\n\r\n`,
        `GET ${definition.prefix}/ HTTP/1.1\r\nno colon\r\n\r\n`,
        `GET ${definition.prefix}/ HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`,
        `${post}content-length: -1\r\n\r\n`,
        `${post}content-length: x\r\n\r\n`,
        `${post}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`,
        `${post}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\nhello`,
        `${post}transfer-encoding: chunked\r\n\r\nzz\r\n`,
        `${post}transfer-encoding: nothing\r\n\r\n`,
      ];
      await rememberRows();
      for (const text of texts) {
        const received = await exchange((world.server.address() as AddressInfo).port, text);
        const [head = '', body = ''] = received.split('\r\n\r\n', 2);
        expect(head, text.slice(0, 80)).to.match(/^HTTP\/1\.1 4\d\d /);
        expect(head.toLowerCase()).to.include('x-openstack-request-id: req-');
        const type = /^content-type: (.+)$/im.exec(head)?.[1] ?? '';
        const isJson = !type.startsWith('text/');
        const reply = {
          status: Number(head.slice(9, 12)),
          headers: isJson ? {} : { 'content-type': type },
          text: body,
          body: isJson ? (JSON.parse(body) as unknown) : undefined,
        };
        expect(hasErrorFormat[name]!(reply), `${text.slice(0, 80)}: ${body}`).to.equal(true);
      }
      expect(JSON.stringify(await count())).to.equal(rows);
    });
  });
}

/** Repeats a part as often as a request line allows. */
function filled(part: (index: number) => string): string {
  const parts: string[] = [];
  for (let length = 0; length < 14_000; length += parts.at(-1)!.length)
    parts.push(part(parts.length));
  return parts.join('').slice(0, -1);
}

/** The names of an operation's query parameters at any version. */
function queryNames(document: JsonObject, path: string): string[] {
  const item = (document['paths'] as JsonObject)[path] as JsonObject;
  const get = item['get'] as JsonObject;
  const all = [
    ...((item['parameters'] ?? []) as JsonObject[]),
    ...((get['parameters'] ?? []) as JsonObject[]),
  ];
  const resolved = all.map((parameter) => {
    const reference = parameter['$ref'];
    if (typeof reference !== 'string') return parameter;
    return ((document['components'] as JsonObject)['parameters'] as JsonObject)[
      reference.split('/').at(-1)!
    ] as JsonObject;
  });
  return [
    ...new Set(
      resolved
        .filter((parameter) => isObject(parameter) && parameter['in'] === 'query')
        .map((parameter) => parameter['name'] as string),
    ),
  ];
}

/** Sends raw bytes. @returns everything received until the connection ends */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.on('data', (data: Buffer) => {
      received += data.toString();
      if (received.includes('\r\n\r\n') && /connection: keep-alive/i.test(received)) socket.end();
    });
    socket.once('error', (error) => (received ? resolve(received) : reject(error)));
    socket.once('close', () => resolve(received));
  });
}
