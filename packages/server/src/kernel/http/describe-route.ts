/** Writes the description of an operation from the facts that its route declares. */
import { errorCatalogue, type ErrorCode } from '@slipway/contract/kernel/errors.ts';
import * as z from 'zod/mini';
import { statusOf, type Access, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { RightsCode } from '@slipway/contract/kernel/rights.ts';

const hidden = 'For other callers the answer is 404, as if the resource did not exist.';
const requires = (who: string): string => `Requires ${who} or an administrator.`;
const appMember = requires('a member of the team that owns the app');
const callers: Readonly<Record<Access, string>> = {
  public: 'Needs no sign-in.',
  signedIn: 'Requires a signed-in caller.',
  appMember,
  appMemberHidden: `${appMember} ${hidden}`,
  appOwner: requires('an owner of the team that owns the app'),
  teamMember: requires('a member of the team'),
  teamOwner: requires('an owner of the team'),
  administrator: 'Requires an administrator.',
  administratorHidden: `Requires an administrator. ${hidden}`,
};
/** The code that the sentence about the caller implies. */
const implied: Readonly<Partial<Record<Access, RightsCode>>> = {
  appMember: 'NotAMember',
  appOwner: 'NotAnOwner',
  teamMember: 'NotAMember',
  teamOwner: 'NotAnOwner',
  administrator: 'NotAnAdministrator',
};

const isGet = ({ method }: RouteShape): boolean => method === 'GET';
const codeList = (codes: readonly ErrorCode[]): string => codes.map((code) => `\`${code}\``).join(', ');

const rights = (route: RouteShape): string[] => {
  const { access, codes } = route;
  const further = codes.filter((code) => errorCatalogue[code].status === 403 && code !== implied[access]);
  const scope = isGet(route) ? '`read` or `write`' : '`write`';
  return [
    callers[access],
    ...(further.length > 0 ? [`Further rules can refuse the call with 403: ${codeList([...new Set(further)])}.`] : []),
    ...(access === 'public' ? [] : [`An API token needs the scope ${scope}.`]),
  ];
};

const hasQuery = ({ query }: RouteShape, ...names: string[]): boolean => names.every((name) => query !== undefined && name in query.shape);
export const hasDryRun = (route: RouteShape): boolean => hasQuery(route, 'dryRun');

/** True if an answer of the route can be the run of a pipeline, whose schema is `run`. */
const answersRun = ({ response }: RouteShape, run: z.ZodMiniType): boolean =>
  response === run || (response instanceof z.ZodMiniUnion && response.def.options.includes(run));
/** True if the write waits for its pipeline. */
export const isWaiting = (route: RouteShape, run: z.ZodMiniType): boolean =>
  !isGet(route) && statusOf(route) === 200 && answersRun(route, run);

const pipeline = (route: RouteShape, run: z.ZodMiniType): string[] => [
  ...(isWaiting(route, run) ? ['Waits for the pipeline. If it does not complete in time, the answer is 202 with its run.'] : []),
  ...(answersRun(route, run) && statusOf(route) === 202
    ? ['Answers the run of a pipeline, which continues in the background: follow it at `GET /api/v1/pipelines/{pipelineId}`.']
    : []),
  ...(hasDryRun(route) ? ['With `dryRun=true` it checks the same rules, answers 200 with the plan, and changes nothing.'] : []),
];

const input = ({ body, bodyMediaType, bodyLimitKilobytes, aliases = {} }: RouteShape): string[] => [
  ...Object.entries(aliases).map(([alias, name]) => `\`${alias}\` is another name of \`${name}\`.`),
  ...(bodyMediaType === undefined ? [] : [`The body may also be \`${bodyMediaType}\`.`]),
  ...(body && bodyLimitKilobytes !== undefined ? [`The body may have up to ${bodyLimitKilobytes} KiB.`] : []),
];

const streams: Readonly<Record<NonNullable<RouteShape['stream']>, string>> = {
  events: 'The answer is a stream of server-sent events.',
  text: 'The answer is text.',
  bytes: 'The answer is a file.',
};
const output = (route: RouteShape): string[] => [
  ...(hasQuery(route, 'page', 'size')
    ? ['Answers one page of the list: `page` counts from 0, `size` is 20 by default and at most 100.']
    : []),
  ...(route.stream ? [streams[route.stream]] : []),
];

const repeats = (route: RouteShape): string[] => {
  if (isGet(route) || route.stream) return [];
  if (route.isSecret === true) return ['Ignores the `Idempotency-Key` header, because it stores nothing of the request.'];
  return route.isSecret === 'answer'
    ? ['Recognizes a repeat by its `Idempotency-Key` header and builds the answer again, because it stores no secret.']
    : ['A repeat with the same `Idempotency-Key` header gets the first answer.'];
};

export const describeRoute = (route: RouteShape, run: z.ZodMiniType): string =>
  [
    ...(route.description === undefined ? [] : [route.description]),
    ...rights(route),
    ...pipeline(route, run),
    ...input(route),
    ...output(route),
    ...repeats(route),
  ].join(' ');
