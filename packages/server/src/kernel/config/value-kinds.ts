/**
 * Kinds of values that settings have. Each kind says how the text of a variable is parsed, which shape the value has in the configuration
 * file, and how that shape becomes the text of the variable.
 */
import net from 'node:net';
import * as z from 'zod/mini';

/** Shape of a value in the configuration file. */
export type Form =
  | { readonly kind: 'text' | 'path' | 'list' | 'switch' | 'consent' | 'map' | 'secret' }
  | { readonly kind: 'number' | 'share'; readonly least: number; readonly most: number }
  | { readonly kind: 'choice'; readonly values: readonly string[] };

export interface Value<Type extends z.core.$ZodType = z.core.$ZodType> {
  /** Parses the text of the variable. */
  readonly type: Type;
  readonly form: Form;
  /** Text of the default, if the default is always the same. */
  readonly fallback?: string;
}

export const HIGHEST_PORT = 65_535;

const checked = (isFit: (text: string) => boolean, error: string) => z.string().check(z.refine(isFit, { error }));
const optional = <Type extends z.core.$ZodType>(type: Type, kind: 'text' | 'path' | 'consent' | 'secret' | 'switch' = 'text') => ({
  type: z.optional(type),
  form: { kind } as const,
});

export const text = optional(z.string().check(z.minLength(1, { error: 'must not be empty' })));
/** A file or directory. In the configuration file, relative to that file. */
export const path = { ...text, form: { kind: 'path' } as const };
/** A secret, which the configuration file only refers to. */
export const secret = { ...text, form: { kind: 'secret' } as const };
/** A secret that is the value of an HTTP header. Clients quote a value with a line break in their error, which would be logged. */
export const headerSecret = {
  type: z.optional(
    checked(
      (value) => /^[\t\x20-\x7e\x80-\xff]+$/.test(value),
      'must be the value of a header: not empty, and without line breaks or characters beyond Latin-1',
    ),
  ),
  form: { kind: 'secret' } as const,
};
export const matching = (pattern: RegExp, error: string) => optional(checked((value) => pattern.test(value), error));
/** Text with a default. */
export const textOr = (fallback: string, pattern: RegExp, error: string, kind: 'text' | 'path' = 'text') => ({
  type: z._default(
    checked((value) => pattern.test(value), error),
    fallback,
  ),
  form: { kind } as const,
  fallback,
});

/** Accepts only digits: an empty text is not a number. */
const DIGITS = /^\d{1,15}$/;
/** Accepts what JavaScript reads as a number, such as an empty text for 0. */
export const ANY = /^/;
const within = (least: number, most: number, error: string, pattern: RegExp) => {
  const isFit = (value: string): boolean => pattern.test(value) && Number(value) >= least && Number(value) <= most;
  return z.pipe(
    checked(isFit, error),
    z.transform((value: string) => Number(value)),
  );
};
const wholeNumber = (least: number, most: number, error: string, pattern: RegExp) =>
  within(least, most, error, pattern).check(z.int({ error }));
export const number = (least: number, most: number, error: string, pattern = DIGITS) => ({
  type: z.optional(wholeNumber(least, most, error, pattern)),
  form: { kind: 'number', least, most } as const,
});
export const numberOr = (fallback: number, least: number, most: number, error: string, pattern = DIGITS) => ({
  type: z._default(wholeNumber(least, most, error, pattern), fallback),
  form: { kind: 'number', least, most } as const,
  fallback: String(fallback),
});
/** A number from 0 to 1, all by default. */
export const share = {
  type: z._default(within(0, 1, 'must be a number, 0 to 1', ANY), 1),
  form: { kind: 'share', least: 0, most: 1 } as const,
  fallback: '1',
};
/** Port 0 would be unpredictable. */
export const port = (fallback: number) => numberOr(fallback, 1, HIGHEST_PORT, `must be a port, 1 to ${HIGHEST_PORT}`);

const said = (values: readonly string[]): string => [values.slice(0, -1).join(', '), values.at(-1)].filter(Boolean).join(' or ');
export const choice = <const Word extends string>(values: readonly Word[]) => ({
  type: z.optional(z.enum(values, { error: `must be ${said(values)}` })),
  form: { kind: 'choice', values } as const,
});
export const choiceOr = <const Word extends string>(fallback: NoInfer<Word>, values: readonly Word[]) => ({
  type: z._default(z.enum(values, { error: `must be ${said(values)}` }), fallback),
  form: { kind: 'choice', values } as const,
  fallback,
});
/** `on` or `off`. */
export const toggle = { ...choice(['on', 'off']), form: { kind: 'switch' } as const };
export const toggleOr = (fallback: 'on' | 'off') => ({ ...choiceOr(fallback, ['on', 'off']), form: { kind: 'switch' } as const });
/** Consent to something that is usually refused. */
export const consent = optional(z.literal('yes', { error: 'must be yes, or not set' }), 'consent');

/** A URL with one of the schemes that also passes `isFit`. */
export const url = (schemes: readonly string[], error: string, isFit: (url: URL) => boolean = () => true) =>
  optional(checked((value) => URL.canParse(value) && schemes.includes(new URL(value).protocol) && isFit(new URL(value)), error));
/** A URL that may contain a password. */
export const secretUrl = (...rule: Parameters<typeof url>) => ({ ...url(...rule), form: { kind: 'secret' } as const });

export const entriesOf = (text: string): string[] => text.split(',').flatMap((part) => part.trim() || []);
/** Entries separated by commas. */
export const list = (isFit: (entry: string) => boolean, error: string | ((wrong: string) => string)) => {
  const wrongIn = (entries: readonly string[]): string | undefined => entries.find((entry) => !isFit(entry));
  return {
    type: z.pipe(z._default(z.string(), ''), z.transform(entriesOf)).check(
      z.refine((entries) => wrongIn(entries) === undefined, {
        error: ({ input }) => (typeof error === 'string' ? error : error(Array.isArray(input) ? (wrongIn(input.map(String)) ?? '') : '')),
      }),
    ),
    form: { kind: 'list' } as const,
  };
};
/** A list whose text is read as a whole. */
export const listText = (isFit: (entries: string) => boolean, error: string) => ({
  ...optional(checked(isFit, error)),
  form: { kind: 'list' } as const,
});
/** Names with values: `a=1,b=2`. */
export const mapOr = (fallback: string) => ({ type: z._default(z.string(), fallback), form: { kind: 'map' } as const, fallback });

/** Accepts an address or a network: `10.0.0.1`, `10.1.0.0/16`. */
export const isNetwork = (entry: string): boolean => {
  const [address = '', bits, ...rest] = entry.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[net.isIP(address)] ?? -1;
  return rest.length === 0 && most > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
};
