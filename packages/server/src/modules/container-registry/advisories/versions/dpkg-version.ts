/** Compares versions in Debian's order (deb-version(7)): epoch, upstream version, revision. A tilde sorts before the end. */
import { compareNumbers } from './number-text.ts';

interface Parts {
  readonly epoch: string;
  readonly upstream: string;
  readonly revision: string;
}

const isDigit = (character: string | undefined): boolean => character !== undefined && character >= '0' && character <= '9';
const isLetter = (character: string): boolean => /^[A-Za-z]$/.test(character);

const parse = (version: string): Parts | undefined => {
  const colon = version.indexOf(':');
  const epoch = colon < 0 ? '0' : version.slice(0, colon);
  const rest = version.slice(colon + 1);
  const dash = rest.lastIndexOf('-');
  const upstream = dash < 0 ? rest : rest.slice(0, dash);
  if (!/^\d+$/.test(epoch) || upstream === '' || !/^[\w.+~:-]+$/.test(rest)) return undefined;
  return { epoch, upstream, revision: dash < 0 ? '' : rest.slice(dash + 1) };
};

/** Returns the sort order of a character. The end of the text and digits sort between the tilde and the letters. */
const orderOf = (character: string | undefined): number => {
  if (character === undefined || isDigit(character)) return 0;
  if (character === '~') return -1;
  return (character.codePointAt(0) ?? 0) + (isLetter(character) ? 0 : 256);
};

/** Compares alternating runs of text and digits. */
const comparePart = (a: string, b: string): number => {
  let [at, bt] = [0, 0];
  while (at < a.length || bt < b.length) {
    while ((at < a.length && !isDigit(a[at])) || (bt < b.length && !isDigit(b[bt]))) {
      const order = orderOf(a[at]) - orderOf(b[bt]);
      if (order !== 0) return order;
      at += 1;
      bt += 1;
    }
    const [from, to] = [at, bt];
    while (isDigit(a[at])) at += 1;
    while (isDigit(b[bt])) bt += 1;
    const order = compareNumbers(a.slice(from, at) || '0', b.slice(to, bt) || '0');
    if (order !== 0) return order;
  }
  return 0;
};

/** Returns undefined if a value is not a valid Debian version. */
export const compareDpkg = (a: string, b: string): number | undefined => {
  const [one, other] = [parse(a), parse(b)];
  if (!one || !other) return undefined;
  return compareNumbers(one.epoch, other.epoch) || comparePart(one.upstream, other.upstream) || comparePart(one.revision, other.revision);
};
