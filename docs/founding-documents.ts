// The claims of the founding documents, the tests whose titles have their tags, and the page that
// lists both.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../src/kernel/package-root.ts';

export interface Claim {
  /** The name of the document and a number, such as `tricircle-7`. */
  readonly id: string;
  readonly claim: string;
  /** How upstream's code differs from the document, and what Cumulet does. */
  readonly contradicted?: string;
  /** What is missing. */
  readonly open?: string;
}

export interface FoundingDocument {
  readonly name: string;
  readonly title: string;
  readonly sources: readonly { readonly title: string; readonly url: string }[];
  readonly claims: readonly Claim[];
}

/** A test with the tags of claims at the end of its title. */
export interface TaggedTest {
  /** From the root of the repository. */
  readonly file: string;
  /** The title without the tags; parts that differ from case to case are shown as `…`. */
  readonly title: string;
  /** The ids of the claims. */
  readonly tags: readonly string[];
}

const claimsFile = 'docs/reference/founding-documents.yaml';
const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');

/** Reads the documents with their claims. */
export const readDocuments = (): readonly FoundingDocument[] =>
  parse(read(claimsFile)) as FoundingDocument[];

/** The title of a test in a TypeScript file. */
const testTitle = /\bit\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

/** Splits a title into its text and the tags at its end. */
function splitTitle(title: string): Pick<TaggedTest, 'title' | 'tags'> {
  const [tail = ''] = /(?: #[a-z]+(?:-[a-z]+)*-\d+)+$/.exec(title) ?? [];
  return {
    title: title.slice(0, title.length - tail.length),
    tags: tail.split(' #').slice(1),
  };
}

/** The titles in a TypeScript file. `…` replaces the parts that differ from case to case. */
export const titlesInCode = (text: string): string[] =>
  [...text.matchAll(testTitle)].map(([, single, double, template]) =>
    (
      single ??
      double ??
      template!.replaceAll(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, '…')
    ).replaceAll(/\\(.)/g, '$1'),
  );

/** The titles of the cases that run real clients. */
const titlesInCases = (text: string): string[] =>
  ((parse(text) as { cases?: { name: string }[] }).cases ?? []).map(({ name }) => name);

/** All tests with tags, in the order of their files. */
export function readTaggedTests(): readonly TaggedTest[] {
  return readdirSync(join(packageRoot(), 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((file) => /\.test\.ts$|^test\/clients\/cases\/[^/]+\.yaml$/.test(file))
    .toSorted()
    .flatMap((file) => {
      const text = read(file);
      const titles = file.endsWith('.ts') ? titlesInCode(text) : titlesInCases(text);
      return titles.map((title) => ({ file, ...splitTitle(title) }));
    })
    .filter(({ tags }) => tags.length > 0);
}

// The page

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const cell = (text: string): string =>
  text.trim().replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*');

type State = 'proven' | 'contradicted' | 'open';

const stateOf = ({ contradicted, open }: Claim): State =>
  open ? 'open' : contradicted ? 'contradicted' : 'proven';

const countOf = (claims: readonly Claim[], state: State): string =>
  String(claims.filter((claim) => stateOf(claim) === state).length);

const counts = (claims: readonly Claim[]): string[] => [
  String(claims.length),
  countOf(claims, 'proven'),
  countOf(claims, 'contradicted'),
  countOf(claims, 'open'),
];

/** Markdown that GitHub shows as plain text in the text of a link. */
const linkText = (text: string): string => cell(text).replaceAll(/[[\]`_]/g, '\\$&');

function proofOf(claim: Claim, tests: readonly TaggedTest[]): string {
  const links = tests
    .filter(({ tags }) => tags.includes(claim.id))
    .map(({ file, title }) => {
      const shown = file.replace(/^test\//, '').replace(/\.test\.ts$/, '');
      return `${shown}: [${linkText(title)}](../../${file})`;
    });
  const notes = [
    ...(claim.open ? [`**Open.** ${cell(claim.open)}`] : []),
    ...(claim.contradicted ? [`**Contradicted.** ${cell(claim.contradicted)}`] : []),
  ];
  return [...notes, ...links].join('<br>');
}

function section(document: FoundingDocument, tests: readonly TaggedTest[]): string[] {
  const sources = document.sources.map(({ title, url }) => `[${title}](${url})`);
  return [
    '',
    `## ${document.title}`,
    '',
    `${sources.join(', ')}.`,
    '',
    row('id', 'claim', 'proof'),
    row('---', '---', '---'),
    ...document.claims.map((claim) => row(claim.id, cell(claim.claim), proofOf(claim, tests))),
  ];
}

/** The page docs/reference/founding-documents.md. */
export function foundingDocumentsPage(): string {
  const documents = readDocuments();
  const tests = readTaggedTests();
  const all = documents.flatMap(({ claims }) => claims);
  return `${[
    '# Founding documents',
    '',
    `<!-- Written by \`npm run docs\` from ${claimsFile} and the titles of tests. Do not edit. -->`,
    '',
    'Cumulet was founded on five documents of OpenStack. This page lists their claims in our own words,',
    'and the tests that prove each of them. The title of such a test ends with the claim as a tag:',
    "`npm test -- --grep '#tricircle-7\\b'` runs the tests of one claim. Where upstream's code contradicts",
    'its document, Cumulet follows the code, and the page says so; what Cumulet lacks is open.',
    '',
    row('document', 'claims', 'proven', 'contradicted by upstream', 'open'),
    row('---', '---:', '---:', '---:', '---:'),
    ...documents.map(({ title, claims }) =>
      row(`[${title}](#${anchorOf(title)})`, ...counts(claims)),
    ),
    row('all', ...counts(all)),
    ...documents.flatMap((document) => section(document, tests)),
  ].join('\n')}\n`;
}

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
