// The parts of Knex that its types leave out: who imports one says what it is. The deep paths are
// why package.json pins Knex.
declare module 'knex/lib/dialects/*' {
  const part: unknown;
  export default part;
}
