/**
 * A subtree of a tree over the bits of addresses, as a number; equal subtrees have the same number. 0 is the empty subtree,
 * 1…65,535 are leaves with that value, larger numbers are branches.
 */
export type Subtree = number;

export const EMPTY: Subtree = 0;
const FIRST_BRANCH = 0x10000;

/** Creates subtrees and stores their branches. */
export class NetworkTree {
  readonly #lefts: number[] = [];
  readonly #rights: number[] = [];
  readonly #known = new Map<number, Subtree>();

  /** The subtree with two halves; two halves that are the same leaf, or both empty, are merged. */
  branch(left: Subtree, right: Subtree): Subtree {
    if (left === right && left < FIRST_BRANCH) return left;
    const key = left * 2 ** 26 + right; // exact: subtree numbers stay below 2²⁶
    let subtree = this.#known.get(key);
    if (subtree === undefined) {
      subtree = this.#lefts.length + FIRST_BRANCH;
      if (subtree >= 2 ** 26) throw new Error('The tree has too many branches');
      this.#lefts.push(left);
      this.#rights.push(right);
      this.#known.set(key, subtree);
    }
    return subtree;
  }

  isBranch(subtree: Subtree): boolean {
    return subtree >= FIRST_BRANCH;
  }

  /** Both halves of a subtree; each half of a leaf is that leaf. */
  halves(subtree: Subtree): readonly [Subtree, Subtree] {
    if (subtree < FIRST_BRANCH) return [subtree, subtree];
    return [this.#lefts[subtree - FIRST_BRANCH]!, this.#rights[subtree - FIRST_BRANCH]!];
  }

  /** `root` with the subtree at the first `prefixLength` bits of `address` replaced by `part`. */
  replace(root: Subtree, address: Uint8Array, prefixLength: number, part: Subtree, depth = 0): Subtree {
    if (depth === prefixLength) return part;
    const [left, right] = this.halves(root);
    const goesRight = ((address[depth >> 3]! >> (7 - (depth & 7))) & 1) === 1;
    const below = this.replace(goesRight ? right : left, address, prefixLength, part, depth + 1);
    return goesRight ? this.branch(left, below) : this.branch(below, right);
  }
}
