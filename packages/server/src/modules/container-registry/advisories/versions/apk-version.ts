/** Alpine's order of versions: numbers, a letter, suffixes like `_rc1` before and `_p1` after the version, and `-r2`, the build of it. */
import { compareNumbers, compareText } from './number-text.ts';

const suffixes = ['alpha', 'beta', 'pre', 'rc', '', 'cvs', 'svn', 'git', 'hg', 'p'] as const;
const rankOf = (suffix: string): number => suffixes.findIndex((one) => one === suffix);
const none = rankOf('');

interface Parts {
  readonly numbers: readonly string[];
  readonly letter: string;
  readonly suffixes: readonly { readonly rank: number; readonly number: string }[];
  /** Undefined sorts before `-r0`. */
  readonly build: string | undefined;
}

/** Every part can begin in one way alone, so that it takes one pass. */
const pattern = /^(\d+(?:\.\d+)*)([a-z]?)((?:_[a-z]+\d*)*)(?:~[0-9a-f]+)?(?:-r(\d+))?$/;

const parse = (version: string): Parts | undefined => {
  const found = pattern.exec(version);
  if (!found) return undefined;
  const [, numbers = '', letter = '', tail = '', build] = found;
  const parts = tail
    .split('_')
    .slice(1)
    .map((text) => {
      const name = text.replace(/\d+$/, '');
      return { rank: rankOf(name), number: text.slice(name.length) || '0' };
    });
  return parts.some(({ rank }) => rank < 0 || rank === none) ? undefined : { numbers: numbers.split('.'), letter, suffixes: parts, build };
};

/** After the first, a number with a zero before it is a fraction: 1.05 is less than 1.1. */
const compareNumber = (a: string, b: string, index: number): number =>
  index > 0 && (a.startsWith('0') || b.startsWith('0')) ? compareText(a, b) : compareNumbers(a, b);

const compareLists = <Item>(
  a: readonly Item[],
  b: readonly Item[],
  compare: (a: Item | undefined, b: Item | undefined, index: number) => number,
) => {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const order = compare(a[index], b[index], index);
    if (order !== 0) return order;
  }
  return 0;
};

/** Undefined where one of them is no such version. */
export const compareApk = (a: string, b: string): number | undefined => {
  const [one, other] = [parse(a), parse(b)];
  if (!one || !other) return undefined;
  const numbers = compareLists(one.numbers, other.numbers, (x, y, index) =>
    x === undefined ? -1 : y === undefined ? 1 : compareNumber(x, y, index),
  );
  const missing = { rank: none, number: '0' };
  return (
    numbers ||
    compareText(one.letter, other.letter) ||
    compareLists(one.suffixes, other.suffixes, (x = missing, y = missing) => x.rank - y.rank || compareNumbers(x.number, y.number)) ||
    compareNumbers(one.build ?? '', other.build ?? '')
  );
};
