/** Numbers in versions have no end: they are compared as they are written. */

const withoutZeros = (digits: string): string => {
  let at = 0;
  while (at < digits.length - 1 && digits[at] === '0') at += 1;
  return digits.slice(at);
};

export const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

export const compareNumbers = (a: string, b: string): number => {
  const [one, other] = [withoutZeros(a), withoutZeros(b)];
  return one.length === other.length ? compareText(one, other) : one.length - other.length;
};
