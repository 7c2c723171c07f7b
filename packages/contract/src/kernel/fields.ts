/** Building blocks that several entities share. A check's message is a code of the error catalogue; the texts are in errors.ts. */
import * as z from 'zod/mini';

export const Environment = z.enum(['development', 'production']);
export type Environment = z.infer<typeof Environment>;
export const environments: readonly Environment[] = ['development', 'production'];

/** Other spellings of the two environments (decisions §1). They are mapped only here. */
const environmentAliases: Readonly<Record<string, Environment>> = {
  development: 'development',
  dev: 'development',
  NONPROD: 'development',
  'non-production': 'development',
  production: 'production',
  prod: 'production',
  PROD: 'production',
};
export const environmentOf = (text: string): Environment | undefined =>
  Object.hasOwn(environmentAliases, text) ? environmentAliases[text] : undefined;

/** Words that the console's routes use (decisions §1), and the registry project for the platform's own images. */
export const reservedNames: ReadonlySet<string> = new Set(
  `new settings revisions revision pipeline pipelines copy copy-service service secret-group database container-registry activity-logs
  events-processing accounts topics schemas create-topic create-schema development production library`.split(/\s+/),
);

/** Codes of a name in a form. */
export const nameCodes = ['Required', 'InvalidValue', 'InvalidName', 'KebabCase', 'MinimumLength', 'ExceedsMaximumLength'] as const;
/** Codes of a whole number in a form. */
export const numberCodes = ['Minimum', 'Maximum', 'NotANumber', 'NotAnInteger'] as const;

const kebab = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const required = z.minLength(1, { error: 'Required', abort: true });
const notReserved = z.refine<string>((value) => !reservedNames.has(value), {
  error: 'InvalidName',
});
/** Kebab-case name that starts with a letter. */
const name = (min: number, max: number) =>
  z
    .string({ error: 'Required' })
    .check(
      z.trim(),
      required,
      z.regex(kebab, { error: 'KebabCase' }),
      z.minLength(min, { error: 'MinimumLength' }),
      z.maxLength(max, { error: 'ExceedsMaximumLength' }),
      notReserved,
    );

export const AppName = name(3, 40);
export const TeamCode = name(2, 25);
export const ServiceName = name(3, 52);
/** Repository name only: no URL, no `.git`. */
export const RepositoryName = z
  .string({ error: 'Required' })
  .check(z.trim(), required, z.regex(/^(?!.*\.git$)[A-Za-z0-9._-]{1,100}$/, { error: 'RepositoryNameOnly' }));
/** Tag of an image, without digest or repository. */
export const ImageTag = z
  .string({ error: 'Required' })
  .check(z.trim(), required, z.regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/, { error: 'DoesNotMatchPattern' }));
export const DisplayName = z.string({ error: 'Required' }).check(z.trim(), required, z.maxLength(100, { error: 'ExceedsMaximumLength' }));
export const RequiredText = z.string({ error: 'Required' }).check(z.trim(), required, z.maxLength(500, { error: 'ExceedsMaximumLength' }));
export const MacId = z
  .string({ error: 'Required' })
  .check(z.trim(), required, z.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, { error: 'DoesNotMatchPattern' }));
const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const outgoingHostPattern = new RegExp(`^(\\*\\.)?${label}(\\.${label})*(:[1-9][0-9]{0,4})?$`);
const octet = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const ipv4Pattern = new RegExp(`^${octet}(\\.${octet}){3}$`);
/**
 * True for hosts that end in a number: URL parsers read them as IPv4 addresses in any notation. Source: WHATWG URL, "ends in a number
 * checker".
 */
const isNumericHost = (name: string): boolean => /(^|\.)([0-9]+|0x[0-9a-f]*)$/.test(name);
const isNameOrAddress = (name: string): boolean => !isNumericHost(name) || ipv4Pattern.test(name);
/** Lowercase `name`, `name:port`, or `*.name` for every subdomain of a name. An IPv4 address is valid only in dotted decimal notation. */
export const OutgoingHost = z.string({ error: 'Required' }).check(
  z.minLength(1, { error: 'Required' }),
  z.maxLength(260, { error: 'ExceedsMaximumLength' }),
  z.regex(outgoingHostPattern, { error: 'NotAHost' }),
  z.refine((host) => Number(host.split(':')[1] ?? 0) <= 65_535, { error: 'NotAHost' }),
  z.refine((host) => isNameOrAddress(host.split(':')[0] ?? ''), { error: 'NotAHost' }),
);
/** Instant as ISO 8601 with milliseconds, UTC. */
export const Instant = z.string();
/** True if the database can store the date. Its range is smaller than a browser's; the year 0000 is outside it, for example. */
export const isKept = (text: string): boolean => {
  const year = new Date(text).getUTCFullYear();
  return year >= 1970 && year <= 9999;
};

export const PageQuery = z.object({
  page: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0),
  size: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100)), 20),
  query: z.optional(z.string().check(z.maxLength(200))),
  sort: z.optional(z.string().check(z.regex(/^-?[a-zA-Z]+$/, { error: 'DoesNotMatchPattern' }))),
});

/** Cursor: the `next` of the previous page. New entries don't shift the following page. */
export const After = z.optional(z.string().check(z.maxLength(400)));
/** Codes that a list may answer to an invalid page, size or order. */
export const pageCodes = [...numberCodes, 'InvalidValue', 'DoesNotMatchPattern'] as const;

/** The specification's page of results. */
export const pageOf = <T extends z.ZodMiniType>(item: T) =>
  z.object({
    number: z.number(),
    size: z.number(),
    totalPages: z.number(),
    totalElements: z.number(),
    /** True if counting stopped at `totalElements` and there are more. */
    isTotalAtLeast: z.boolean(),
    first: z.boolean(),
    last: z.boolean(),
    content: z.array(item),
  });
export interface Page<T> {
  number: number;
  size: number;
  totalPages: number;
  totalElements: number;
  isTotalAtLeast: boolean;
  first: boolean;
  last: boolean;
  content: T[];
}

/** Permissions of the caller on a resource: for each verb true, or the code that says why not. */
export const Can = z.record(z.string(), z.union([z.literal(true), z.string()]));
export type Can = z.infer<typeof Can>;

/** Hours for which a rotated password, secret or key keeps working. */
export const overlapHours = [0, 1, 24] as const;
/** Overlap of a password that a pipeline rotates. */
export const PasswordOverlap = z._default(z.literal(overlapHours, { error: 'InvalidValue' }), 1);

/** A whole number within its limits: `whole(topicLimits.retentionHours)`. */
export const whole = ({ min, max }: { min: number; max: number }) =>
  z.number().check(z.int({ error: 'NotAnInteger', abort: true }), z.minimum(min), z.maximum(max));
