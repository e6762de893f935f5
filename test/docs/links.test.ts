// Tests that the README stays short, and that relative links in Markdown files are not broken.
import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { packageRoot } from '../../src/kernel/package-root.ts';

const skippedFolders = new Set(['node_modules', 'dist', 'coverage', '.git', 'tmp']);

function markdownFiles(folder = '.'): string[] {
  return readdirSync(join(packageRoot(), folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : markdownFiles(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const read = (file: string): string => readFileSync(join(packageRoot(), file), 'utf8');
const withoutCode = (text: string): string =>
  text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** The targets of a page's links, without those to other sites. */
const linksOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target));

/** The anchors that hosting sites derive from the headings of a page. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

function isBroken(file: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : normalize(join(dirname(file), path));
  if (!existsSync(join(packageRoot(), target))) return true;
  return anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor);
}

describe('documentation', () => {
  it('has a README of at most 120 lines and 1,200 words', () => {
    const readme = read('README.md');
    expect(readme.trimEnd().split('\n').length, 'lines').to.be.at.most(120);
    expect(readme.split(/\s+/).filter(Boolean).length, 'words').to.be.at.most(1200);
  });

  it('links every guide and every service from its index', () => {
    const linked = new Set(
      linksOf(read('docs/README.md')).map((link) => normalize(join('docs', link))),
    );
    const pages = markdownFiles('docs').filter((file) => /^docs\/(guides|services)\//.test(file));
    expect(pages.filter((page) => !linked.has(page))).to.deep.equal([]);
  });

  for (const file of markdownFiles())
    if (linksOf(read(file)).length)
      it(`has no broken relative links in ${file}`, () => {
        expect(linksOf(read(file)).filter((link) => isBroken(file, link))).to.deep.equal([]);
      });
});
