// Compares the types of resources that Heat offers with those of the templates.
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { tokenOf } from '../../support/tokens.ts';

const folder = new URL('templates/', import.meta.url);
const exceptions = parse(
  readFileSync(new URL('exceptions.yaml', import.meta.url), 'utf8'),
) as readonly { readonly types: readonly string[]; readonly reason: string }[];

/**
 * The types that Heat offers in a cloud and that no template has.
 * @param cloud the address of the emulator
 */
export async function untriedTypes(cloud: string, heat: string): Promise<string[]> {
  const headers = { 'x-auth-token': await tokenOf(cloud, 'admin') };
  const project = await fetch(`${cloud}/identity/v3/projects?name=admin`, { headers });
  const { projects } = (await project.json()) as { projects: { id: string }[] };
  const reply = await fetch(`${heat}/v1/${projects[0]!.id}/resource_types`, { headers });
  expect(reply.status).to.equal(200);
  const { resource_types: offered } = (await reply.json()) as { resource_types: string[] };
  const tried = readdirSync(folder).flatMap((file) => typesOf(file));
  return offered.filter((type) => !tried.includes(type)).sort();
}

const typesOf = (file: string): string[] =>
  [...readFileSync(new URL(file, folder), 'utf8').matchAll(/type: (OS::\w+::\w+)/g)].map(
    ([, type]) => type!,
  );

/** The patterns of the exceptions that a type fits. */
export const exceptionsFor = (type: string): string[] =>
  exceptions.flatMap(({ types }) => types).filter((one) => fits(type, one));

/** The exceptions that fit none of these types. */
export const uselessExceptions = (untried: readonly string[]): string[] =>
  exceptions
    .flatMap(({ types }) => types)
    .filter((one) => !untried.some((type) => fits(type, one)));

const fits = (type: string, pattern: string): boolean =>
  pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
