// Reads the files of the repository, and the sentences in them: comments, test titles and prose.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/kernel/package-root.ts';

export interface TextFile {
  /** From the root of the repository, such as `src/kernel/clock.ts`. */
  readonly path: string;
  readonly text: string;
}

/** A sentence or title, and the number of the line that it begins on. */
export interface Passage {
  readonly line: number;
  readonly sentence: string;
}

/** Reads the files whose names match, below these folders; of the root `.` its own files only. */
export function readTree(folders: readonly string[], named: RegExp): TextFile[] {
  const root = packageRoot();
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: folder !== '.', encoding: 'utf8' })
      .filter((name) => named.test(name) && !name.includes('node_modules'))
      .toSorted()
      .map((name) => ({
        path: join(folder, name),
        text: readFileSync(join(root, folder, name), 'utf8'),
      })),
  );
}

/** The comments and test titles of a TypeScript file, or the paragraphs of a page. */
export function commentsOf(path: string, text: string): Passage[] {
  return path.endsWith('.md') ? paragraphsOf(text) : passagesOf(text);
}

const title = /\b(?:it|describe)(?:\.\w+)?\(\s*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`)/;
const comment = /\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+|\s\/\/ .*$/;
const commentOrTitle = new RegExp(`${comment.source}|${title.source}`, 'gm');

function passagesOf(text: string): Passage[] {
  return [...text.matchAll(commentOrTitle)].map(({ 0: passage, index }) => ({
    line: lineOf(text, index),
    sentence: plain(passage.replaceAll(/^\s*(?:\/\*\*?|\*\/?|\/\/)/gm, ' ')),
  }));
}

function paragraphsOf(text: string): Passage[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ' '));
  return [...prose.matchAll(/(?:^.*\S.*\n?)+/gm)].map(({ 0: paragraph, index }) => ({
    line: lineOf(text, index),
    sentence: plain(paragraph),
  }));
}

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length;

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** The code of a file: without comments, and with its strings emptied. */
export const codeOf = (text: string): string =>
  text
    .replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'/g, "''");
