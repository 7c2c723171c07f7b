/** Country and region of a browser, from its time zone alone: no address is looked up. */

const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
const CODES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));

/** Not in every browser, and not in the library of types. */
const zonesOf = (code: string): readonly string[] => {
  const locale: Intl.Locale & { getTimeZones?: () => readonly string[] | undefined } = new Intl.Locale(`und-${code}`);
  return locale.getTimeZones?.() ?? [];
};

/** The names are those of Faro's session attributes. The country is missing if the browser does not know it. */
export const sessionPlace = (timeZone: string): Readonly<Record<string, string>> => {
  const [region = '', city] = timeZone.split('/');
  const countryCode = CODES.find((code) => zonesOf(code).includes(timeZone));
  const country = countryCode === undefined ? undefined : new Intl.DisplayNames(['en'], { type: 'region' }).of(countryCode);
  return { timezone: timeZone, ...(city && { region }), ...(countryCode && country && { country, countryCode }) };
};
