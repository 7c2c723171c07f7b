/** Routes that the four kinds of entries share. A kind says what differs. */
import * as z from 'zod/mini';
import type { ErrorCode } from '../kernel/errors.ts';
import { Instant } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import type { Kind } from '../kernel/subject.ts';
import {
  catalogPath,
  catalogTag as tag,
  entryWriteCodes,
  idHeader,
  OptionalComment,
  recordCodes,
  recordsOf,
  recordsQuery,
  RequestComment,
  sourceHeader,
  writeHeaders,
} from './entry.ts';
import { CatalogRequest, CatalogRequestRecords } from './request.ts';

const access = 'signedIn';

/** An entry in the history tab: a write with its changes. */
export const CatalogHistoryEntry = z.object({
  id: z.string(),
  at: Instant,
  type: z.string(),
  message: z.string(),
  actor: z.object({ id: z.string(), displayName: z.string() }),
  before: z.unknown(),
  after: z.unknown(),
});
const CatalogHistory = recordsOf(CatalogHistoryEntry);
const pageQuery = z.omit(recordsQuery(['name']), { sort: true });

interface EntryShape<
  Plural extends string,
  Param extends string,
  Header extends string,
  View extends z.ZodMiniType,
  Create extends z.ZodMiniType,
  Update extends z.ZodMiniType,
  Query extends z.ZodMiniObject,
  List extends z.ZodMiniType,
> {
  readonly kind: Kind;
  /** Plural in its paths: `platforms`. */
  readonly plural: Plural;
  readonly param: Param;
  /** Header that repeats the id of the path on PUT. */
  readonly header: Header;
  readonly view: View;
  readonly create: Create;
  readonly update: Update;
  readonly query: Query;
  readonly list: List;
  readonly codes: {
    /** Codes of its form fields. */
    readonly form: readonly ErrorCode[];
    /** Codes that say why it cannot be decommissioned. */
    readonly kept: readonly ErrorCode[];
  };
}

/** Body of the PATCH of every kind: labels, and putting a decommissioned entry back. */
export const EntryPatch = z.object({
  status: z.optional(z.string()),
  /** Ids of all labels. */
  labels: z.optional(z.array(z.string()).check(z.maxLength(50, { error: 'Maximum' }))),
  reason: OptionalComment,
});
/** Body of a DELETE, which asks to decommission. */
export const EntryDecommission = z.object({
  targetDate: z.optional(z.iso.date({ error: 'DateInvalid' })),
  reason: z.optional(RequestComment),
});

const route = routesIn({ tag, access });
export const entryRoutes = <
  const Plural extends string,
  const Param extends string,
  const Header extends string,
  View extends z.ZodMiniType,
  Create extends z.ZodMiniType,
  Update extends z.ZodMiniType,
  Query extends z.ZodMiniObject,
  List extends z.ZodMiniType,
>(
  shape: EntryShape<Plural, Param, Header, View, Create, Update, Query, List>,
) => {
  const { kind, plural, view, codes } = shape;
  const { kind: id, label } = kind;
  const word = label.toLowerCase();
  const path = `${catalogPath}/${plural}` as const;
  const one = `${path}/{${shape.param}}` as `/api/catalogue/${Plural}/{${Param}}`;
  const form = [...entryWriteCodes, ...codes.form];
  return {
    list: route(`${id}List`, `GET ${path}`, {
      summary: kind.plural,
      query: shape.query,
      response: shape.list,
      codes: recordCodes,
    }),
    view: route(`${id}View`, `GET ${one}`, {
      summary: `One ${word}`,
      response: view,
      codes: ['EntryDoesNotExist'],
    }),
    create: route(`${id}Create`, `POST ${path}`, {
      summary: `Onboard a ${word}: it waits for approval`,
      headers: z.object(sourceHeader),
      body: shape.create,
      response: view,
      status: 201,
      codes: form,
    }),
    update: route(`${id}Update`, `PUT ${one}`, {
      summary: `Change a ${word}`,
      description:
        'A field that the body leaves out keeps its value. Fields that need an approval raise requests, which `requests` names. The answer is 202 if nothing was applied yet.',
      headers: z.extend(idHeader(shape.header), writeHeaders),
      keyHeader: { name: 'Mac-Request-Id', pattern: /^(?!REQ-\d+$)/i },
      body: shape.update,
      response: view,
      codes: [...form, 'StatusNotSettable', 'LastActiveOwner'],
    }),
    patch: route(`${id}Patch`, `PATCH ${one}`, {
      summary: `Set the labels of a ${word}, or put it back after it was decommissioned`,
      body: EntryPatch,
      response: view,
      codes: [
        ...entryWriteCodes,
        'StatusNotSettable',
        'ReasonRequired',
        'NotCatalogueApprover',
        'EntryNotDecommissioned',
        'EntryAlreadyExists',
        'PlatformNotActive',
        'PortfolioNotActive',
        'LabelDoesNotExist',
      ],
    }),
    remove: route(`${id}Decommission`, `DELETE ${one}`, {
      summary: `Ask to decommission a ${word}`,
      body: z.optional(z.nullable(EntryDecommission)),
      response: CatalogRequest,
      status: 202,
      codes: [...entryWriteCodes, 'ReasonRequired', 'DateInPast', ...codes.kept],
    }),
    history: route(`${id}History`, `GET ${one}/history`, {
      summary: `Writes on the ${word}, newest first`,
      query: pageQuery,
      response: CatalogHistory,
      codes: [...recordCodes, 'EntryDoesNotExist'],
    }),
    requests: route(`${id}Requests`, `GET ${one}/requests`, {
      summary: `Requests for the ${word}, newest first`,
      query: pageQuery,
      response: CatalogRequestRecords,
      codes: [...recordCodes, 'EntryDoesNotExist'],
    }),
  } as const;
};
