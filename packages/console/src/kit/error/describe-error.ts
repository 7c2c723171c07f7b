/** Turns any error into the texts of the error banner (specification §8, "Error banner"). */
import { messageOf, type ErrorObject } from '@slipway/contract/kernel/errors.ts';
import { FetchError, ResponseError } from '#kit/api/errors.ts';

/** Heading of an error that says nothing about itself. */
const UNKNOWN = 'Unknown Error';

export interface ErrorDescription {
  heading: string;
  traceId?: string | undefined;
  /** Messages by code, one line each. */
  items: readonly string[];
  /** Markdown. */
  detail?: string | undefined;
  /** The object that "View Full Error" shows and the copy icon copies. */
  full: unknown;
}

/** Codes of the specification that the server sends beside its own, which says more. */
const repeated: readonly string[] = ['MISSING_RESOURCE', 'GithubRepositoryAlreadyExists', 'APPLICATION_WITH_GIVEN_NAME_ALREADY_EXISTS'];
const itemsOf = ({ errors }: ErrorObject): string[] =>
  errors?.[0]?.code
    ? errors
        .filter(({ code }, index) => index === 0 || !repeated.includes(code))
        .map(({ code, context }) => messageOf(code, context) || 'Unknown error')
    : [];

const problemDescription = (problem: ErrorObject): ErrorDescription => {
  const { traceId, detail, name } = problem;
  const items = itemsOf(problem);
  const common = { items, full: problem, traceId };
  // The server's detail often equals the text of its code: don't repeat what the list already says.
  if (problem.title)
    return { ...common, heading: `${problem.status} - ${problem.title}`, ...(detail && items.includes(detail) ? {} : { detail }) };
  // A detail-error has no title: its name is the heading.
  return { ...common, heading: name || 'Unknown error', detail: detail || 'Unknown error' };
};

export const describeError = (error: unknown): ErrorDescription => {
  if (error instanceof ResponseError) {
    if (error.problem) return problemDescription(error.problem);
    return { heading: `${error.status} Network Error`, items: [], full: { status: error.status, message: error.message, ...error.answer } };
  }
  if (error instanceof FetchError) {
    const cause = error.cause instanceof Error ? error.cause.message : undefined;
    return {
      heading: error.status === undefined ? 'Network Error' : `${error.status} Network Error`,
      items: [],
      detail: 'The server could not be reached. Nothing is known about what it did; look before you try again.',
      full: { message: error.message, cause },
    };
  }
  if (error instanceof Error && error.message)
    return { heading: error.message, items: [], full: { name: error.name, message: error.message } };
  return { heading: UNKNOWN, items: [], full: error ?? null };
};

/** Returns one sentence for small places: the server's message if there is one, otherwise a generic text. */
export const errorSentence = (error: unknown): string => {
  const { items, detail, heading } = describeError(error);
  return items[0] ?? detail ?? (heading === UNKNOWN ? 'An error occurred while performing the requested action.' : heading);
};
