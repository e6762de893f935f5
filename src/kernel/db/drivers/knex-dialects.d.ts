// Declares internal modules of Knex, which its types omit. Each file that imports one casts it to
// the type that it needs. These paths are not part of Knex's API, so package.json pins its version.
declare module 'knex/lib/dialects/*' {
  const part: unknown;
  export default part;
}

declare module 'knex/lib/knex-builder/make-knex.js' {
  const part: unknown;
  export default part;
}
