/** Facts of a session for the telemetry of the console: its place, and the account. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';

/** Country of a language. Empty for a name that is no language tag, as some browsers on Linux report: `en-US@posix`. */
const countryOf = (language: string): string => {
  try {
    return new Intl.Locale(language).maximize().region ?? '';
  } catch {
    return '';
  }
};
/** Not in every browser, and not in the library of types. */
const zonesOf = (countryCode: string): readonly string[] => {
  const locale: Intl.Locale & { getTimeZones?: () => readonly string[] | undefined } = new Intl.Locale(`und-${countryCode}`);
  return locale.getTimeZones?.() ?? [];
};

/**
 * Returns the region of a time zone, and the country if one of the user's languages is of a country in this zone. No address is looked up.
 * The names are those of the specification (§9).
 */
export const sessionPlace = (timeZone: string, languages: readonly string[]): Readonly<Record<string, string>> => {
  const [region = '', city] = timeZone.split('/');
  const countryCode = languages.map(countryOf).find((code) => code !== '' && zonesOf(code).includes(timeZone));
  const country = countryCode && new Intl.DisplayNames(['en'], { type: 'region' }).of(countryCode);
  return { timezone: timeZone, ...(city && { region }), ...(countryCode && country && { country, countryCode }) };
};

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};
/** Returns the id of the signed-in account: object and tenant at a directory that names them, the subject otherwise. */
export const accountIdIn = (json: string | null): string | undefined => {
  const user = parsed(json ?? 'null');
  const { oid, tid, sub } = isRecord(user) && isRecord(user['profile']) ? user['profile'] : {};
  if (typeof oid === 'string' && typeof tid === 'string') return `${oid}.${tid}`;
  return typeof sub === 'string' ? sub : undefined;
};
