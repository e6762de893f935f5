// Keeps the names of captured projects, users, groups and roles unique in their domains.
import type { Json } from '../../../../emulator/capture/model.ts';

interface Named {
  readonly id: string;
  readonly name: string;
  readonly domainId: string | null;
}

/** The ids and names that are taken. Names are unique in a domain, without regard to case. */
export class FreeNames {
  private readonly ids: Set<string>;
  private readonly names: Set<string>;

  constructor(existing: readonly Named[]) {
    this.ids = new Set(existing.map(({ id }) => id));
    this.names = new Set(existing.map(({ name, domainId }) => keyOf(name, domainId)));
  }

  /** Whether the id of a resource is taken: a cloud of this emulator has those of any new one. */
  has({ id }: Json): boolean {
    return this.ids.has(String(id));
  }

  /** Takes the id of a resource, and its name or, if that is taken, one with its id. */
  take({ id, name }: Json, domainId: string | null): string {
    const own = String(name);
    const free = this.names.has(keyOf(own, domainId)) ? `${own}-${String(id).slice(0, 8)}` : own;
    this.ids.add(String(id));
    this.names.add(keyOf(free, domainId));
    return free;
  }
}

const keyOf = (name: string, domainId: string | null): string =>
  `${domainId ?? ''} ${name.toLowerCase()}`;
