// Validates bodies with express-openapi-validator: one instance for each distinct schema of a body,
// on a document with just that schema.
import type { Request, RequestHandler, Response } from 'express';
import { loadValidator } from '../lazy.ts';
import { guardFormats } from './formats.ts';
import type { JsonObject } from '../json.ts';

/** Whether a body is valid according to the contract. */
export type BodyGuard = (body: unknown) => Promise<boolean>;

/**
 * Builds the middleware for the body of one operation. Its document has a single path, so that it
 * finds the route quickly, and no parameters: the middleware does not support the queries of
 * OpenStack (`resources1=VCPU:2`, repeated names), and rewrites them.
 */
export function bodyGuard(method: string, schema: JsonObject): BodyGuard {
  const { middleware } = loadValidator();
  const chain = middleware({
    apiSpec: documentOf(method, structuredClone(schema)) as never,
    validateApiSpec: false,
    validateSecurity: false,
    validateRequests: true,
    validateResponses: false,
    fileUploader: false,
    useRequestUrl: true,
    formats: guardFormats as never,
  }) as unknown as RequestHandler[];
  const app = { enabled: () => true, param: () => undefined };
  /** What the first steps find out about the only path; undefined until they have run. */
  let openapi: unknown;
  return async (body) => {
    const request = {
      method,
      url: '/',
      originalUrl: '/',
      path: '/',
      baseUrl: '',
      headers: { 'content-type': 'application/json' },
      query: {},
      params: {},
      body,
      app,
      openapi,
    };
    // The last step validates. Those before it take as long, and would find the same each time.
    const steps = openapi === undefined ? chain : chain.slice(-1);
    const error = await pass(steps, request as unknown as Request);
    openapi = request.openapi;
    if (error === undefined) return true;
    if ((error as { status?: number }).status === 400) return false;
    throw error;
  };
}

function documentOf(method: string, schema: JsonObject): object {
  const content = { 'application/json': { schema } };
  return {
    openapi: '3.1.0',
    info: { title: 'body', version: '1' },
    paths: {
      '/': {
        [method.toLowerCase()]: {
          requestBody: { required: true, content },
          responses: { 200: { description: 'ok' } },
        },
      },
    },
  };
}

/** Runs the chain. Resolves with the error that ended it, if any. */
async function pass(chain: readonly RequestHandler[], request: Request): Promise<unknown> {
  for (const step of chain) {
    const error = await new Promise<unknown>((resolve) => {
      try {
        void step(request, {} as Response, resolve);
      } catch (thrown) {
        resolve(thrown);
      }
    });
    if (error) return error;
  }
  return undefined;
}
