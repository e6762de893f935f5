// Reproducible random choices: the seed determines all of them.

/** A pseudo-random generator. The algorithm is Mulberry32. */
export class SeededRandom {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  roll(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.roll() < probability;
  }

  /** Returns an integer from `min` to `max`, both inclusive. */
  between(min: number, max: number): number {
    return min + Math.floor(this.roll() * (max - min + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.roll() * items.length)]!;
  }

  /** Selects each item with the same probability, and keeps their order. */
  some<T>(items: readonly T[], probability: number): T[] {
    return items.filter(() => this.chance(probability));
  }

  shuffled<T>(items: readonly T[]): T[] {
    const remaining = [...items];
    const shuffled: T[] = [];
    while (remaining.length)
      shuffled.push(...remaining.splice(Math.floor(this.roll() * remaining.length), 1));
    return shuffled;
  }
}
