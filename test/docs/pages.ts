// Reads the shell blocks of the documentation, with their marks and the output that follows.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/kernel/package-root.ts';

/** A shell block of a page. */
export interface Block {
  /** The line of its first command, counted from 1. */
  readonly line: number;
  readonly code: string;
  /** The output that the page shows for it: the `text` block that follows. */
  readonly output?: string;
  /** Why it is not run, from `<!-- not run: reason -->`. */
  readonly notRun?: string;
  /** Why it does not work yet, from `<!-- pending: reason -->`. It is skipped and counted. */
  readonly pending?: string;
  /** A command that fails where the tool of the block is missing, from `<!-- needs: ... -->`. */
  readonly needs?: string;
  /** How many of its commands must fail, from `<!-- fails: 1 -->`. */
  readonly fails: number;
}

export interface Page {
  /** Its path from the root of the repository. */
  readonly name: string;
  readonly blocks: readonly Block[];
}

/** The Markdown files of a folder, without subfolders. */
const markdownIn = (folder: string): string[] =>
  readdirSync(join(packageRoot(), folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`)
    .toSorted();

/** The pages whose commands are run. */
export const readPages = (): Page[] =>
  [
    'README.md',
    ...markdownIn('docs'),
    ...markdownIn('docs/guides'),
    ...markdownIn('docs/services'),
  ].map((name) => ({
    name,
    blocks: blocksOf(readFileSync(join(packageRoot(), name), 'utf8')),
  }));

const mark = /^<!-- (not run|pending|needs|fails): (.+) -->$/;

/** The shell blocks of a page. Marks are on the lines above their block. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const language = /^```(\w*)/.exec(lines[at]!)?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    const content = lines.slice(at + 1, end).join('\n');
    const last = blocks.at(-1);
    if (language === 'sh') blocks.push({ line: at + 2, code: content, ...marksAbove(lines, at) });
    else if (
      language === 'text' &&
      last?.output === undefined &&
      last &&
      isDirectlyAbove(lines, at)
    )
      blocks[blocks.length - 1] = { ...last, output: content };
    at = end;
  }
  return blocks;
}

type Marks = Pick<Block, 'notRun' | 'pending' | 'needs' | 'fails'>;

function marksAbove(lines: readonly string[], at: number): Marks {
  const [, kind, said = ''] = mark.exec(lines[at - 1] ?? '') ?? [];
  if (kind === undefined) return { fails: 0 };
  const others = marksAbove(lines, at - 1);
  if (kind === 'not run') return { ...others, notRun: said };
  if (kind === 'fails') return { ...others, fails: Number.parseInt(said, 10) };
  return { ...others, [kind]: said };
}

/** Whether only blank lines separate the block that opens at this line from the one before it. */
function isDirectlyAbove(lines: readonly string[], at: number): boolean {
  let line = at - 1;
  while (lines[line] === '') line--;
  return lines[line] === '```';
}
