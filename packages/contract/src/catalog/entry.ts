/** Fields and route parts that the four kinds of catalog entries share. */
import * as z from 'zod/mini';
import type { ErrorCode } from '../kernel/errors.ts';
import { Can, Instant, pageCodes, numberCodes } from '../kernel/fields.ts';

export const entryKinds = ['application', 'platform', 'portfolio', 'product'] as const;
export const EntryKind = z.enum(entryKinds);
export type EntryKind = z.infer<typeof EntryKind>;
export const entryStatuses = ['PENDING', 'ACTIVE', 'REJECTED', 'DECOMMISSIONED'] as const;
export const EntryStatus = z.enum(entryStatuses);
export type EntryStatus = z.infer<typeof EntryStatus>;

export const catalogTag = 'Catalog';
export const catalogPath = '/api/catalogue';

const text = (min: number, max: number) =>
  z
    .string({ error: 'Required' })
    .check(
      z.trim(),
      z.minLength(1, { error: 'Required', abort: true }),
      z.minLength(min, { error: 'MinimumLength' }),
      z.maxLength(max, { error: 'ExceedsMaximumLength' }),
    );
/** A required choice. */
export const choiceOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: ({ input }) => (input === undefined ? 'Required' : 'InvalidValue') });
export const EntryName = text(3, 80);
export const EntryDescription = text(20, 500);
/** Comment of a request, and the reason of a rejection. */
export const RequestComment = text(10, 1000);
/** Short comment or reason, which may be empty. */
export const OptionalComment = z.optional(z.string().check(z.trim(), z.maxLength(1000, { error: 'ExceedsMaximumLength' })));
export const DateOnly = z.iso.date({ error: 'DateInvalid' });

export const CatalogPerson = z.object({
  id: z.string(),
  displayName: z.string(),
  email: z.nullable(z.string()),
  /** False if the person left the directory. */
  active: z.boolean(),
});
export type CatalogPerson = z.infer<typeof CatalogPerson>;
/** A person by id or e-mail address, as text or as the object that views contain. */
const PersonRef = z.union([
  z.string().check(z.trim(), z.minLength(1, { error: 'Required' }), z.maxLength(320, { error: 'ExceedsMaximumLength' })),
  z.object({ id: z.optional(z.string()), email: z.optional(z.nullable(z.string())) }),
]);
export type PersonRef = z.infer<typeof PersonRef>;
export const Owners = z
  .array(PersonRef, { error: 'Required' })
  .check(z.minLength(1, { error: 'Required' }), z.maxLength(10, { error: 'Maximum' }));
export const EaContacts = z.array(PersonRef).check(z.maxLength(5, { error: 'Maximum' }));

/** A request that a write raised. */
export const RaisedRequest = z.object({ requestId: z.string(), reqType: z.string() });

/** Audit fields, version and rights of every entry. */
export const entryAudit = {
  status: EntryStatus,
  createdBy: z.nullable(CatalogPerson),
  createdDate: Instant,
  modifiedBy: z.nullable(CatalogPerson),
  modifiedDate: Instant,
  canEdit: z.boolean(),
  can: Can,
  version: z.number(),
  /** Why an approver rejected the entry. */
  rejectedComments: z.nullable(z.string()),
  /** Answered to a write: the requests that it raised. */
  requests: z.optional(z.array(RaisedRequest)),
} as const;

export const PortfolioRef = z.object({ portfolioId: z.string(), portfolioName: z.string(), portfolioType: z.string() });
export const PlatformRef = z.object({
  platformId: z.string(),
  platformName: z.string(),
  platformType: z.string(),
  portfolio: z.nullable(PortfolioRef),
});
export const ProductRef = z.object({ productId: z.string(), productName: z.string() });
export const LabelRef = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  properties: z.record(z.string(), z.string()),
});

/** Page query of every list. `after` is the `next` of the page before; deep pages are fast with it. */
export const recordsQuery = <const Sort extends readonly [string, ...string[]]>(sorts: Sort) =>
  z.object({
    page: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0),
    size: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100)), 20),
    sort: z.optional(
      z.enum(
        sorts.flatMap((sort) => [sort, `-${sort}`]),
        { error: 'InvalidValue' },
      ),
    ),
    after: z.optional(z.string().check(z.maxLength(400))),
  });
export const entrySorts = ['name', 'status', 'modifiedDate', 'targetDecommissioningDate', 'score'] as const;

/** The specification's paged list. */
export const recordsOf = <T extends z.ZodMiniType>(item: T) =>
  z.object({
    totalRecords: z.number(),
    totalPages: z.number(),
    currentPage: z.number(),
    /** True if counting stopped at `totalRecords` and there are more. */
    isTotalAtLeast: z.boolean(),
    /** Value of `after` for the next page, null on the last page. */
    next: z.nullable(z.string()),
    content: z.array(item),
  });
export interface Records<T> {
  totalRecords: number;
  totalPages: number;
  currentPage: number;
  isTotalAtLeast: boolean;
  next: string | null;
  content: T[];
}

/** Comma-separated words of a list. */
export const listOfWords = (words: readonly string[]) =>
  z.optional(z.string().check(z.regex(new RegExp(`^(${words.join('|')})(,(${words.join('|')}))*$`), { error: 'InvalidValue' })));
export const listOfIds = z.optional(z.string().check(z.maxLength(1000), z.regex(/^[\w-]+(,[\w-]+)*$/, { error: 'InvalidValue' })));
export const wordsOf = (list: string | undefined): string[] => (list === undefined || list === '' ? [] : list.split(','));

const header = z.string({ error: 'Required' }).check(z.minLength(1, { error: 'Required' }), z.maxLength(200));
/** Headers of a write on an entry. The one with the entry's id must repeat the id of the path. */
export const idHeader = <const Name extends string>(name: Name) => z.object({ [name]: header } as Record<Name, typeof header>);
export const sourceHeader = { source: z._default(z.enum(['CONSOLE', 'API', 'IMPORT'], { error: 'InvalidValue' }), 'API') } as const;
/** `Mac-Request-Id` amends the caller's pending request of that id. Any other value is a key for repeats, kept for 24 hours. */
export const writeHeaders = {
  ...sourceHeader,
  'Mac-Request-Id': z.optional(z.string().check(z.regex(/^(REQ-\d+|.{8,64})$/i, { error: 'DoesNotMatchPattern' }))),
  /** The version that the caller saw: `"7"`. */
  'If-Match': z.optional(z.string().check(z.regex(/^(W\/)?"?[\w.-]+"?$/, { error: 'InvalidValue' }))),
} as const;

export const formCodes: readonly ErrorCode[] = [
  ...numberCodes,
  'Required',
  'MinimumLength',
  'ExceedsMaximumLength',
  'InvalidValue',
  'DateInvalid',
  'DoesNotMatchPattern',
];
export const recordCodes: readonly ErrorCode[] = [...pageCodes, 'ExceedsMaximumLength'];
/** Codes that any write on an entry may answer. */
export const entryWriteCodes: readonly ErrorCode[] = [
  ...formCodes,
  'EntryDoesNotExist',
  'EntryChanged',
  'EntryNotActive',
  'HeaderMismatch',
  'NotCatalogueOwner',
  'RequestAlreadyPending',
  'RequestDoesNotExist',
  'RequestDecided',
  'NotTheRequester',
];
