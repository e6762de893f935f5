// Reads YAML files that people write, and names the lines of their mistakes.
import { readFileSync } from 'node:fs';
import type { Document } from 'yaml';
import { ApiError } from '../../kernel/errors.ts';
import { loadYaml } from '../../kernel/lazy.ts';
import { shownFile } from '../../kernel/user/shown-file.ts';

/** An error in the file of a world, or in what the file asks for. */
export class WorldError extends ApiError {
  constructor(position: string, problem: string, status = 400) {
    super(status, `${position}: ${problem}`);
  }
}

/** A YAML file that has been parsed. */
export interface YamlFile {
  /** Its name in messages. */
  readonly shown: string;
  readonly document: Document.Parsed;
  /** The file and the line of an offset in the text, such as `world.yaml:12`. */
  readonly position: (offset: number) => string;
}

/** Parses the text of a file. @throws WorldError */
export function parseYaml(file: string, text = textOf(file)): YamlFile {
  const { LineCounter: Counter, parseDocument } = loadYaml();
  const lines = new Counter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const shown = shownFile(file);
  const position = (offset: number): string => `${shown}:${lines.linePos(offset).line}`;
  const [flaw] = document.errors;
  if (flaw) throw new WorldError(position(flaw.pos[0]), sentence(flaw.message));
  return { shown, document, position };
}

/** The content of a document. @throws WorldError for an alias without an anchor, say */
export function contentOf({ document, shown }: YamlFile): unknown {
  try {
    return document.toJS() as unknown;
  } catch (error) {
    throw new WorldError(shown, sentence((error as Error).message));
  }
}

/** The text of a file. @throws WorldError */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const problem = `the file cannot be read: ${(error as Error).message}.`;
    throw new WorldError(shownFile(file), problem, 409);
  }
}

const sentence = (text: string): string => `${text.trim().replace(/[.:]$/, '')}.`;
