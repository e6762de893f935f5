// Views of the version documents.
import { computeVersions } from '../versions.ts';
import type { LocatedRequest } from '../../../kernel/model.ts';

const json = 'application/json';

interface Document {
  readonly id: string;
  readonly status: string;
  readonly version: string;
  readonly min_version: string;
  readonly updated: string;
}

const legacy: Document = {
  id: 'v2.0',
  status: 'DEPRECATED',
  version: '',
  min_version: '',
  updated: '2011-01-21T11:33:21Z',
};
const current: Document = {
  id: 'v2.1',
  status: 'CURRENT',
  version: computeVersions.max.name,
  min_version: computeVersions.min.name,
  updated: '2013-07-23T11:33:21Z',
};

const paths: Readonly<Record<string, string>> = { 'v2.0': 'v2', 'v2.1': 'v2.1' };

const self = (call: LocatedRequest, { id }: Document): object => ({
  rel: 'self',
  href: `${call.origin}${call.prefix}/${paths[id]}/`,
});

/** All versions. Clients rely on their order. */
export const listView = (call: LocatedRequest): object => ({
  versions: [legacy, current].map((document) => ({ ...document, links: [self(call, document)] })),
});

/** A single version. */
export function documentView(call: LocatedRequest, id: 'v2.0' | 'v2.1'): object {
  const document = id === 'v2.0' ? legacy : current;
  const described = { rel: 'describedby', type: 'text/html', href: 'http://docs.openstack.org/' };
  return {
    version: {
      ...document,
      links: [self(call, document), described],
      'media-types': [mediaTypeOf(id)],
    },
  };
}

/** The media type of a version's replies. */
const mediaTypeOf = (id: string): object => ({
  base: json,
  type: `application/vnd.openstack.compute+json;version=${id === 'v2.0' ? '2' : '2.1'}`,
});

/** The choices that a path without a version gets with status 300. */
export const choices = (call: LocatedRequest): object => ({
  choices: [legacy, current].map((document) => ({
    id: document.id,
    status: document.status,
    links: [
      { rel: 'self', href: `${call.origin}${call.prefix}/${paths[document.id]}${call.path}` },
    ],
    'media-types': [mediaTypeOf(document.id)],
  })),
});
