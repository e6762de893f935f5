// Claims from providers of Placement, which the writers keep nearly full.
import { randomUUID } from 'node:crypto';
import type { Held, Scenario, Writer } from './writer.ts';

export class ProviderClaims implements Scenario {
  readonly name: string;
  private readonly capacity: number;
  private readonly providers: readonly string[];
  private readonly resourceClass: string;

  /** @param capacity of each provider */
  constructor(name: string, providers: number, capacity: number) {
    this.name = name;
    this.capacity = capacity;
    this.providers = Array.from({ length: providers }, () => randomUUID());
    this.resourceClass = `CUSTOM_${randomUUID().replaceAll('-', '_').toUpperCase()}`;
  }

  async prepare(writer: Writer): Promise<void> {
    await writer.must('PUT', `/placement/resource_classes/${this.resourceClass}`);
    for (const uuid of this.providers) {
      await writer.must('POST', '/placement/resource_providers', { uuid, name: uuid });
      await writer.must('PUT', `/placement/resource_providers/${uuid}/inventories`, {
        resource_provider_generation: 0,
        inventories: { [this.resourceClass]: { total: this.capacity } },
      });
    }
  }

  async step(writer: Writer): Promise<void> {
    const claimed = writer.held.size > 0 && writer.random.between(1, 10) <= 4;
    if (claimed || !(await this.claim(writer))) await this.release(writer);
  }

  /** @returns false if there is no room */
  private async claim(writer: Writer): Promise<boolean> {
    const amount = writer.random.between(1, 4);
    const provider = await this.chooseProvider(writer, amount);
    if (provider === undefined) return false;
    const consumer = randomUUID();
    const path = `/placement/allocations/${consumer}`;
    const answer = await writer.ask('PUT', path, {
      allocations: { [provider]: { resources: { [this.resourceClass]: amount } } },
      project_id: 'p',
      user_id: 'u',
      consumer_generation: null,
      consumer_type: 'INSTANCE',
    });
    if (answer.status === 204) {
      writer.granted++;
      writer.held.set(consumer, { provider, amount });
      return true;
    }
    writer.refused++;
    if (answer.status !== 409 || !answer.text.includes('would exceed the capacity'))
      writer.report(`PUT ${path}`, answer);
    return false;
  }

  /** A provider that had room; if there is only one, regardless of its room. */
  private async chooseProvider(writer: Writer, amount: number): Promise<string | undefined> {
    if (this.providers.length === 1) return this.providers[0];
    const { provider_summaries: found } = (await writer.must(
      'GET',
      `/placement/allocation_candidates?resources=${this.resourceClass}:${amount}&limit=4`,
    )) as { provider_summaries: object };
    const uuids = Object.keys(found);
    return uuids.length ? writer.random.pick(uuids) : undefined;
  }

  private async release(writer: Writer): Promise<void> {
    const consumer = writer.anyHeld();
    if (consumer === undefined) return;
    await writer.must('DELETE', `/placement/allocations/${consumer}`);
    writer.held.delete(consumer);
  }

  async check(writers: readonly Writer[]): Promise<string[]> {
    const problems: string[] = [];
    for (const provider of this.providers) {
      const at = `/placement/resource_providers/${provider}`;
      const [first] = writers as [Writer];
      const { usages } = (await first.must('GET', `${at}/usages`)) as { usages: object };
      const used = (usages as Record<string, number>)[this.resourceClass]!;
      const { allocations } = (await first.must('GET', `${at}/allocations`)) as {
        allocations: Record<string, { resources: Record<string, number> }>;
      };
      const found = Object.entries(allocations).map(
        ([consumer, { resources }]) => `${consumer}: ${resources[this.resourceClass]}`,
      );
      const held = writers
        .flatMap((writer) => [...writer.held])
        .filter(([, claim]: [string, Held]) => claim.provider === provider);
      const expected = held.map(([consumer, { amount }]) => `${consumer}: ${amount}`);
      const sum = held.reduce((total, [, { amount }]) => total + amount, 0);
      if (used > this.capacity) problems.push(`${provider}: ${used} of ${this.capacity} used`);
      if (used !== sum) problems.push(`${provider}: ${used} used, ${sum} granted`);
      if (found.toSorted().join() !== expected.toSorted().join())
        problems.push(`${provider}: has [${found.join()}], granted [${expected.join()}]`);
    }
    return problems;
  }
}
