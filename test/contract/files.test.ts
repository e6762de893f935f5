// Checks how files are made: their first line, names, length and width, and the size of folders.
import { basename, dirname } from 'node:path';
import { expect } from 'chai';
import { codeOf, readTree } from './tree.ts';

const files = readTree(['src', 'migrations', 'test', 'bench'], /\.tsx?$/);
const sources = files.filter(({ path }) => /^(?:src|migrations)\//.test(path));

/** Tables of routes, one operation a line. */
const isTable = (path: string): boolean =>
  /routes\.ts$|\/routes\/|\/standard-names\.ts$/.test(path);

/** Written by `npm run docs`. */
const isGenerated = (text: string): boolean => /^\/\/ (?:edit|.*: do not edit)\.$/m.test(text);

/** The text with the contents of its templates removed, and its lines kept. */
const withoutTemplates = (text: string): string =>
  text.replaceAll(/`[^`]*`/g, (template) => template.replaceAll(/[^\n]/g, ''));

/** A line without its strings, templates and regular expressions, which prettier cannot break. */
const withoutLiterals = (line: string): string =>
  line.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`?|\/(?![/*])(?:[^/\\]|\\.)+\//g, '');

const codeLines = (text: string): number =>
  codeOf(text)
    .split('\n')
    .filter((line) => line.trim()).length;

describe('files', () => {
  it('begin with a sentence that says what they hold', () => {
    const silent = files.filter(({ text }) => {
      const [first = ''] = text.replace(/^#!.*\n/, '').split('\n', 1);
      return !/^\/\/ \S.{12,}/.test(first);
    });
    expect(silent.map(({ path }) => path)).to.deep.equal([]);
  });

  it('have names in kebab-case', () => {
    const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|d))?(?:\.tsx?)?$/;
    const bad = files.filter(({ path }) => !path.split('/').every((part) => kebab.test(part)));
    expect(bad.map(({ path }) => path)).to.deep.equal([]);
  });

  it('are not named manager, helper or util, and neither is what they declare', () => {
    const empty =
      /\b(?:class|interface|type)\s+(\w*(?:Manager|Helper|Util|Utils)|I[A-Z][a-z]\w*Interface)\b/g;
    const declared = files.flatMap(({ path, text }) =>
      (codeOf(text).match(empty) ?? []).map((name) => `${path}: ${name}`),
    );
    const named = files.filter(({ path }) => /manager|helper|util/i.test(basename(path)));
    expect([...declared, ...named.map(({ path }) => path)]).to.deep.equal([]);
  });

  it('have at most 420 lines of code, tests 500', () => {
    const long = files
      .filter(({ text }) => !isGenerated(text))
      .map(({ path, text }) => ({ path, lines: codeLines(text) }))
      .filter(({ path, lines }) => lines > (path.startsWith('test/') ? 500 : 420));
    expect(long).to.deep.equal([]);
  });

  it('have lines of at most 100 columns, except for tables of routes and long literals', () => {
    const wide = files
      .filter(({ path }) => !isTable(path))
      .flatMap(({ path, text }) =>
        withoutTemplates(text)
          .split('\n')
          .flatMap((line, index) =>
            withoutLiterals(line).length > 100 ? `${path}:${index + 1}` : [],
          ),
      );
    expect(wide).to.deep.equal([]);
  });

  it('switch prettier off in fewer than ten places, besides tables of routes', () => {
    const off = files.filter(({ path, text }) => !isTable(path) && /prettier-ignore/.test(text));
    expect(off.map(({ path }) => path)).to.have.length.lessThan(10);
  });

  it('are at most 22 in a folder', () => {
    const sizes = new Map<string, number>();
    for (const { path } of sources) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
    const large = [...sizes].filter(
      ([folder, size]) => size > 22 && folder !== 'migrations/region',
    );
    expect(large.map(([folder, size]) => `${folder}: ${size}`)).to.deep.equal([]);
  });

  it('cast no value through unknown to a call or a context', () => {
    const casts = sources.filter(({ text }) => /as unknown as (?:\w*Call|Context)\b/.test(text));
    expect(casts.map(({ path }) => path)).to.deep.equal([]);
  });
});
