// Trees of providers in memory, as far as a search for candidates needs them.

/** What a provider has of a class. */
export interface Stock {
  readonly classId: number;
  readonly total: number;
  readonly reserved: number;
  readonly minUnit: number;
  readonly maxUnit: number;
  readonly stepSize: number;
  readonly ratio: number;
  readonly used: number;
}

/** A provider of a tree. */
export interface Node {
  readonly id: number;
  readonly uuid: string;
  readonly rootId: number;
  readonly parentId: number | null;
  parent: Node | undefined;
  readonly stocks: Stock[];
  readonly traits: number[];
  readonly aggregates: number[];
}

export interface Tree {
  readonly root: Node;
  readonly nodes: readonly Node[];
}

/** How much could be claimed in all; a fraction where the ratio makes one. */
export const capacityOf = (stock: Stock): number => (stock.total - stock.reserved) * stock.ratio;

export const stockOf = (node: Node, classId: number): Stock | undefined => node.stocks.find((stock) => stock.classId === classId);

/** Whether the provider gives that amount of the class in one piece. */
export function fits(node: Node, classId: number, amount: number): boolean {
  const stock = stockOf(node, classId);
  return (
    stock !== undefined &&
    stock.minUnit <= amount &&
    amount <= stock.maxUnit &&
    amount % stock.stepSize === 0 &&
    stock.used + amount <= capacityOf(stock)
  );
}

/** Whether a provider is the other one, or above it. */
export function isAtOrAbove(upper: Node, lower: Node): boolean {
  for (let node: Node | undefined = lower; node; node = node.parent) if (node === upper) return true;
  return false;
}
