/** The only error class whose content reaches users: a code of the contract's catalogue, never free text. */
import {
  errorCatalogue,
  isErrorCode,
  messageOf,
  type ErrorCode,
  type ErrorObject,
  type FieldError,
} from '@slipway/contract/kernel/errors.ts';

interface ProblemDetail {
  readonly field?: string;
  readonly context?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** The specification's code for the same, if ours says more. */
  readonly also?: ErrorCode | undefined;
}

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];

  constructor(code: ErrorCode, detail: ProblemDetail = {}) {
    super(messageOf(code, detail.context), { cause: detail.cause });
    this.code = code;
    this.status = errorCatalogue[code].status;
    const about = { ...(detail.field ? { field: detail.field } : {}), ...(detail.context ? { context: detail.context } : {}) };
    this.errors = [code, ...(detail.also ? [detail.also] : [])].map((each) => ({ ...about, code: each }));
  }

  /** Combines several field errors from validation. */
  static fields(errors: readonly FieldError[]): Problem {
    const first = errors[0];
    const code = first && isErrorCode(first.code) ? first.code : 'InvalidValue';
    const problem = new Problem(code, { context: first?.context ?? {} });
    return Object.assign(problem, { errors, status: 400 });
  }
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  421: 'Misdirected Request',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  507: 'Insufficient Storage',
};

/** Returns an RFC 9457 problem in the shape of the specification's error object. */
export const errorObject = (problem: Problem, traceId: string): ErrorObject => ({
  status: problem.status,
  title: titles[problem.status] ?? 'Error',
  traceId,
  errors: problem.errors,
  detail: problem.message,
  name: problem.code,
  // The same two under the names that the catalog's part of the specification gives them.
  code: problem.code,
  message: problem.message,
});
