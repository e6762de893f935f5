// The files of the page, which the build bundles into dist/page.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { packageRoot } from '../../kernel/package-root.ts';

/** A file of the page. */
export interface PageFile {
  readonly content: Buffer;
  readonly type: string;
  /** A strong entity tag, with its quotes. */
  readonly etag: string;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const pathOf = (name: string): string => join(packageRoot(), 'dist', 'page', name);

/** Whether the page has been built. Sources that were never built have none. */
export const isBuilt = (): boolean => existsSync(pathOf('index.html'));

/** Reads a file of the page, such as `page.js`. @returns undefined if the page has no such file */
export function readPageFile(name: string): PageFile | undefined {
  const type = types[extname(name)];
  if (type === undefined || !/^[a-z]+\.[a-z]+$/.test(name) || !existsSync(pathOf(name)))
    return undefined;
  const content = readFileSync(pathOf(name));
  return { content, type, etag: `"${createHash('sha256').update(content).digest('hex')}"` };
}
