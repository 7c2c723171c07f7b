/** Compares objects in the cluster with wanted ones. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';

/** Enough to recognize a change. The rest is put back too. */
const MOST_PATHS = 5;

const SUFFIXES: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  n: 1e-9,
  u: 1e-6,
};
/** Parses a quantity such as `250m` or `64Mi`. */
export function quantityOf(text: string): number | undefined {
  const [, number, suffix = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]{0,2})$/.exec(text) ?? [];
  const factor = SUFFIXES[suffix];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === 0 || value === false || value === '' || (isRecord(value) && Object.keys(value).length === 0);

const isSame = (live: unknown, wanted: unknown): boolean => {
  // The API server leaves out values that mean nothing.
  if (live === wanted || (live === undefined && isEmpty(wanted))) return true;
  if (typeof live !== 'string' || typeof wanted !== 'string') return false;
  // The API server may write a quantity in another way.
  const [left, right] = [quantityOf(live), quantityOf(wanted)];
  return left !== undefined && left === right;
};

/**
 * Returns paths of wanted values that differ in the live object. Ignores fields that only the live object has, such as defaults. Lists must
 * have the same length, so an added container is a difference.
 */
export function differences(live: unknown, wanted: unknown, path = ''): string[] {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live) || live.length !== wanted.length) return wanted.length === 0 && live === undefined ? [] : [path];
    return wanted.flatMap((item, index) => differences(live[index], item, `${path}[${index}]`)).slice(0, MOST_PATHS);
  }
  if (isRecord(wanted)) {
    if (!isRecord(live)) return isSame(live, wanted) ? [] : [path];
    const keys = Object.keys(wanted).filter((key) => wanted[key] !== undefined);
    return keys.flatMap((key) => differences(live[key], wanted[key], path === '' ? key : `${path}.${key}`)).slice(0, MOST_PATHS);
  }
  return isSame(live, wanted) ? [] : [path];
}
